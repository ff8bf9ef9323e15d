//! Text and the timeline on the screen.

use crate::energy;
use crate::history::NAMES;
use crate::input::{KEYS, Key, MOUSE};
use crate::inspector;
use crate::layout::{LINE, Layout, MARGIN};
use crate::overlay;
use crate::player::{Command, Player};
use crate::rules::Rule;
use macroquad::color::Color;
use macroquad::shapes::{draw_circle_lines, draw_line, draw_rectangle};
use macroquad::text::{draw_text, measure_text};

const INK: Color = Color::new(0.10, 0.12, 0.15, 1.0);
const FAINT: Color = Color::new(0.10, 0.12, 0.15, 0.60);
const ALARM: Color = Color::new(0.75, 0.10, 0.05, 1.0);
const PAPER: Color = Color::new(1.0, 1.0, 1.0, 0.55);
const SIZE: f32 = 17.0;
/// From the top of a line to its base.
const BASE: f32 = 13.0;
/// Width of the column of keys.
const KEY: f32 = 110.0;
/// Width of the box of keys, and of that of figures.
const BOX: f32 = 330.0;

/// The screen's layout for a player.
pub fn layout(player: &Player, width: f32, height: f32) -> Layout {
    Layout { width, height, scenes: player.scenes.len(), range: player.run.range() }
}

/// Draws all of it over the picture.
pub fn draw(player: &Player, layout: &Layout) {
    overlay(player, layout);
    scenes(player, layout);
    figures(player, layout);
    sliders(player, layout);
    plots(player, layout);
    timeline(player, layout);
    if player.help {
        keys(player, layout);
    }
    spring(player, layout);
}

fn write(text: &str, x: f32, y: f32, colour: Color) {
    draw_text(text, x, y + BASE, SIZE, colour);
}

fn scenes(player: &Player, layout: &Layout) {
    let list = layout.list();
    draw_rectangle(list.x - 4.0, list.y - LINE - 2.0, list.width, list.height + LINE + 6.0, PAPER);
    write("dolmen", list.x, list.y - LINE, INK);
    for (i, entry) in player.scenes.iter().enumerate() {
        let (x, y) = layout.scene_row(i);
        write(&entry.name, x, y, if i == player.open { INK } else { FAINT });
    }
}

/// The lines of debug drawing.
fn overlay(player: &Player, layout: &Layout) {
    let colour = |[r, g, b, a]: [f32; 4]| Color::new(r, g, b, a);
    overlay::draw(
        player.run.physics(),
        player.show,
        (&player.camera, layout),
        |[[ax, ay], [bx, by]], ink| draw_line(ax, ay, bx, by, 1.5, colour(ink)),
        |[x, y], text, ink| write(text, x, y, colour(ink)),
    );
}

/// The figures of the run, from the top.
fn lines(player: &Player) -> Vec<(String, Color)> {
    let (run, counts) = (&player.run, &player.run.report.counts);
    let speed = if player.speed < 0 { format!("1/{}", 1 << -player.speed) } else { format!("{}", 1 << player.speed) };
    let state = if player.playing { format!("{speed} x") } else { "paused".to_owned() };
    let mut lines = vec![
        (player.scenes[player.open].about.to_owned(), INK),
        (format!("step {}, {state}, {:?}", run.step, player.camera.mode).to_lowercase(), INK),
        (format!("{:.2} ms a step, {}", run.report.times.total().as_secs_f64() * 1e3, run.physics().simd()), INK),
        (format!("{} bodies, {} asleep, {} joints", counts.bodies, counts.asleep, counts.joints), INK),
        (format!("{} contacts, {} islands", counts.points, counts.islands), INK),
    ];
    lines.extend(run.report.energy.iter().flat_map(energy::lines).map(|text| (text, INK)));
    if let Some(body) = run.selected {
        lines.extend(inspector::lines(run, body).into_iter().map(|text| (text, INK)));
    }
    lines.extend(player.problem.iter().map(|problem| (problem.clone(), ALARM)));
    lines
}

fn figures(player: &Player, layout: &Layout) {
    let lines = lines(player);
    let widest = lines.iter().map(|(text, _)| measure_text(text, None, SIZE as u16, 1.0).width).fold(BOX, f32::max);
    let x = layout.width - MARGIN - widest;
    draw_rectangle(x - 4.0, MARGIN - 2.0, widest + 8.0, LINE * lines.len() as f32 + 6.0, PAPER);
    for (i, (text, colour)) in lines.iter().enumerate() {
        write(text, x, MARGIN + LINE * i as f32, *colour);
    }
}

fn sliders(player: &Player, layout: &Layout) {
    for rule in Rule::ALL {
        let (name, [least, most]) = rule.range();
        let value = rule.value(player.run.physics(), player.run.world());
        let track = layout.slider(rule);
        draw_rectangle(track.x - 4.0, track.y - LINE, track.width + 8.0, track.height + LINE + 4.0, PAPER);
        draw_rectangle(track.x, track.y + 0.4 * track.height, track.width, 0.2 * track.height, FAINT);
        let at = track.x + track.width * ((value - least) / (most - least)).clamp(0.0, 1.0);
        draw_rectangle(at - 3.0, track.y, 6.0, track.height, INK);
        let text = match rule {
            Rule::Accuracy => format!("{name}: {:?}", player.run.physics().settings.accuracy).to_lowercase(),
            _ => format!("{name} {value:.2}"),
        };
        write(&text, track.x, track.y - LINE, INK);
    }
}

/// A number of at most seven characters.
fn short(value: f32) -> String {
    if value.abs() < 1000.0 { format!("{value:.2}") } else { format!("{value:.1e}") }
}

/// The figures of the last steps, with the greatest and the latest.
fn plots(player: &Player, layout: &Layout) {
    let history = &player.run.history;
    for (figure, (name, unit)) in NAMES.into_iter().enumerate() {
        let Some((low, high)) = history.range(figure) else { return };
        let area = layout.plot(figure);
        draw_rectangle(area.x, area.y, area.width, area.height, PAPER);
        let (count, spread) = (history.values(figure).count(), (high - low).max(f32::MIN_POSITIVE));
        let place = |k: usize, value: f32| {
            let x = area.x + area.width * k as f32 / (count - 1).max(1) as f32;
            (x, area.y + area.height - (area.height - LINE) * (value - low) / spread)
        };
        let latest = history.values(figure).enumerate().fold((0.0, None), |(_, before), (k, value)| {
            let (x, y) = place(k, value);
            if let Some((from_x, from_y)) = before {
                draw_line(from_x, from_y, x, y, 1.5, INK);
            }
            (value, Some((x, y)))
        });
        let text = format!("{name} {} of {} {unit}", short(latest.0), short(high));
        write(&text, area.x + 4.0, area.y, FAINT);
    }
}

/// Two columns: what keys and the mouse do, and left of it the flags of debug drawing, of which those
/// that are on are dark.
fn keys(player: &Player, layout: &Layout) {
    let row = |key: &Key| match key.command([0.0; 2]) {
        Command::Overlay(flag) if player.shows(flag) => (key.name, key.about, INK),
        _ => (key.name, key.about, FAINT),
    };
    let (flags, actions): (Vec<&Key>, Vec<&Key>) =
        KEYS.iter().partition(|key| matches!(key.command([0.0; 2]), Command::Overlay(_)));
    let mouse = MOUSE.map(|(name, about)| (name, about, FAINT));
    column(layout, 0.0, &actions.into_iter().map(row).chain(mouse).collect::<Vec<_>>());
    column(layout, BOX + MARGIN, &flags.into_iter().map(row).collect::<Vec<_>>());
}

/// Rows of a name and what it does, above the timeline, at a distance from the right.
fn column(layout: &Layout, from_right: f32, rows: &[(&str, &str, Color)]) {
    let (x, height) = (layout.width - MARGIN - BOX - from_right, LINE * rows.len() as f32);
    let top = layout.bar().y - MARGIN - height;
    draw_rectangle(x - 4.0, top - 4.0, BOX + 8.0, height + 8.0, PAPER);
    for (i, (name, about, ink)) in rows.iter().enumerate() {
        write(name, x, top + LINE * i as f32, INK);
        write(about, x + KEY, top + LINE * i as f32, *ink);
    }
}

fn timeline(player: &Player, layout: &Layout) {
    let bar = layout.bar();
    draw_rectangle(bar.x, bar.y, bar.width, bar.height, PAPER);
    let x = layout.x_of(player.run.step);
    draw_rectangle(bar.x, bar.y, x - bar.x, bar.height, Color::new(0.35, 0.45, 0.55, 0.5));
    draw_rectangle(x - 1.5, bar.y - 3.0, 3.0, bar.height + 6.0, INK);
    let (first, last) = layout.range;
    write(&format!("{first}"), bar.x, bar.y - LINE, FAINT);
    let end = format!("{last}");
    write(&end, bar.x + bar.width - measure_text(&end, None, SIZE as u16, 1.0).width, bar.y - LINE, FAINT);
}

/// The force of the spring beside the hand.
fn spring(player: &Player, layout: &Layout) {
    let Some(grip) = &player.run.grip else { return };
    let Some(place) = player.camera.place(grip.target, player.aspect) else { return };
    let [x, y] = layout.on_screen(place);
    draw_circle_lines(x, y, 6.0, 2.0, ALARM);
    write(&format!("{:.1} N", grip.force.length()), x + 12.0, y - LINE, ALARM);
}
