//! Where things are on the screen, in pixels.

use crate::rules::Rule;

/// Height of a line of text.
pub const LINE: f32 = 18.0;
/// From the edges of the screen.
pub const MARGIN: f32 = 12.0;
/// Width of the list of scenes.
const LIST: f32 = 150.0;
/// Width and height of a plot.
const PLOT: (f32, f32) = (180.0, 54.0);
/// Height of the timeline.
const BAR: f32 = 14.0;

/// A rectangle, from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    fn contains(&self, at: [f32; 2]) -> bool {
        (self.x..self.x + self.width).contains(&at[0]) && (self.y..self.y + self.height).contains(&at[1])
    }
}

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A scene of the list.
    Scene(usize),
    /// A step of the timeline.
    Timeline(u64),
    /// A slider, and the part of it from 0 at its left end to 1.
    Slider(Rule, f32),
    /// The picture.
    Picture,
}

/// The screen with its list of scenes and its timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub width: f32,
    pub height: f32,
    /// The number of scenes in the list.
    pub scenes: usize,
    /// The first and the last step of the timeline.
    pub range: (u64, u64),
}

impl Layout {
    /// The list of scenes.
    pub fn list(&self) -> Area {
        Area { x: MARGIN, y: MARGIN + LINE, width: LIST, height: LINE * self.scenes as f32 }
    }

    /// The upper left corner of a scene in the list.
    pub fn scene_row(&self, scene: usize) -> (f32, f32) {
        let list = self.list();
        (list.x, list.y + LINE * scene as f32)
    }

    /// The timeline.
    pub fn bar(&self) -> Area {
        Area { x: MARGIN, y: self.height - MARGIN - BAR, width: self.width - 2.0 * MARGIN, height: BAR }
    }

    /// The track of a slider, below the list of scenes.
    pub fn slider(&self, rule: Rule) -> Area {
        let list = self.list();
        let y = list.y + list.height + 2.0 * LINE * (1.0 + rule as usize as f32);
        Area { x: list.x, y, width: LIST - 8.0, height: 0.6 * LINE }
    }

    /// The part of a slider at an abscissa.
    pub fn part_at(&self, x: f32) -> f32 {
        let track = self.slider(Rule::Gravity);
        ((x - track.x) / track.width).clamp(0.0, 1.0)
    }

    /// The plot of a figure, right of the list of scenes.
    pub fn plot(&self, figure: usize) -> Area {
        let list = self.list();
        let (width, height) = (PLOT.0, PLOT.1);
        Area { x: list.x + LIST + MARGIN, y: MARGIN + (height + MARGIN) * figure as f32, width, height }
    }

    /// The step of the timeline at an abscissa.
    pub fn step_at(&self, x: f32) -> u64 {
        let bar = self.bar();
        let part = f64::from(((x - bar.x) / bar.width).clamp(0.0, 1.0));
        let (first, last) = self.range;
        first + (part * (last - first) as f64).round() as u64
    }

    /// The abscissa of a step of the timeline.
    pub fn x_of(&self, step: u64) -> f32 {
        let ((first, last), bar) = (self.range, self.bar());
        let part = (step.saturating_sub(first)) as f32 / (last - first).max(1) as f32;
        bar.x + bar.width * part.min(1.0)
    }

    /// What is at a place.
    pub fn at(&self, at: [f32; 2]) -> Place {
        if self.bar().contains(at) {
            Place::Timeline(self.step_at(at[0]))
        } else if let Some(rule) = Rule::ALL.into_iter().find(|&rule| self.slider(rule).contains(at)) {
            Place::Slider(rule, self.part_at(at[0]))
        } else if self.list().contains(at) {
            Place::Scene(((at[1] - self.list().y) / LINE) as usize)
        } else {
            Place::Picture
        }
    }

    /// A place in the picture, from -1 to 1 to the right and up.
    pub fn in_picture(&self, at: [f32; 2]) -> [f32; 2] {
        [2.0 * at[0] / self.width - 1.0, 1.0 - 2.0 * at[1] / self.height]
    }

    /// The pixels of a place in the picture.
    pub fn on_screen(&self, place: [f32; 2]) -> [f32; 2] {
        [0.5 * (place[0] + 1.0) * self.width, 0.5 * (1.0 - place[1]) * self.height]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_where_they_are_drawn() {
        let layout = Layout { width: 1000.0, height: 700.0, scenes: 17, range: (60, 360) };
        for scene in 0..17 {
            let (x, y) = layout.scene_row(scene);
            assert_eq!(layout.at([x + 1.0, y + 1.0]), Place::Scene(scene));
        }
        for step in [60, 61, 200, 360] {
            let at = [layout.x_of(step).min(layout.bar().x + layout.bar().width - 0.1), layout.bar().y + 2.0];
            assert_eq!(layout.at(at), Place::Timeline(step));
        }
        assert_eq!(layout.at([500.0, 300.0]), Place::Picture);
        let place = layout.in_picture([250.0, 175.0]);
        assert_eq!((place, layout.on_screen(place)), ([-0.5, 0.5], [250.0, 175.0]));
    }
}
