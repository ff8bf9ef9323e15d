//! Axes with round marks.

use std::ops::Range;

/// An axis: linear, or of the logarithms of its values.
#[derive(Clone)]
pub struct Axis {
    title: &'static str,
    /// Values at marks, the ends among them.
    marks: Vec<f64>,
    logarithmic: bool,
}

impl Axis {
    /// From the first to the last of some marks.
    pub fn linear(title: &'static str, marks: &[f64]) -> Self {
        Self { title, marks: marks.to_vec(), logarithmic: false }
    }

    /// Around values, with marks at `digits` (each at least 1 and less than 10, ascending) times powers
    /// of ten.
    pub fn logarithmic(title: &'static str, digits: &[f64], values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32 + 1;
        // Divides for negative powers: 0.01 is not exact.
        let power = |digit: f64, d: i32| if d < 0 { digit / 10f64.powi(-d) } else { digit * 10f64.powi(d) };
        let marks: Vec<f64> = decades.flat_map(|d| digits.iter().map(move |&digit| power(digit, d))).collect();
        let first = marks.iter().rposition(|&mark| mark <= low).unwrap_or(0);
        let last = marks.iter().position(|&mark| mark >= high).unwrap_or(marks.len() - 1).max(first + 1);
        Self { title, marks: marks[first..=last].to_vec(), logarithmic: true }
    }

    pub fn title(&self) -> &'static str {
        self.title
    }

    /// The place of a value along the axis.
    pub fn at(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    /// From end to end.
    pub fn range(&self) -> Range<f64> {
        self.at(self.marks[0])..self.at(self.marks[self.marks.len() - 1])
    }

    /// The places of the marks.
    pub fn places(&self) -> Vec<f64> {
        self.marks.iter().map(|&mark| self.at(mark)).collect()
    }

    /// The words at a mark.
    pub fn label(&self, place: f64) -> String {
        let value = if self.logarithmic { 10f64.powf(place) } else { place };
        if self.logarithmic && !(1e-3..1e5).contains(&value) {
            return format!("{value:.0e}");
        }
        // Rounded to what a mark has of digits.
        let digits = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize };
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: [f64; 3] = [1.0, 2.0, 5.0];

    #[test]
    fn twice_the_decade_is_twice_as_far() {
        let axis = Axis::logarithmic("", &DIGITS, [1.0, 100.0].into_iter());
        assert_eq!((axis.at(1.0), axis.at(10.0), axis.at(100.0)), (0.0, 1.0, 2.0));
    }

    #[test]
    fn an_axis_ends_at_the_marks_around_its_values() {
        assert_eq!(Axis::logarithmic("", &DIGITS, [0.3, 7.0].into_iter()).marks, [0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(Axis::logarithmic("", &DIGITS, [2.0, 2.0].into_iter()).marks, [2.0, 5.0]);
        assert_eq!(Axis::linear("", &[0.0, 3.0]).range(), 0.0..3.0);
    }

    #[test]
    fn labels_are_the_marks() {
        let axis = Axis::logarithmic("", &DIGITS, [0.02, 5000.0].into_iter());
        let labels: Vec<String> = axis.places().into_iter().map(|place| axis.label(place)).collect();
        assert_eq!(labels.join(" "), "0.02 0.05 0.1 0.2 0.5 1 2 5 10 20 50 100 200 500 1000 2000 5000");
        assert_eq!(axis.label(-7.0), "1e-7");
        let axis = Axis::linear("", &[-0.5, 0.25]);
        assert_eq!([axis.label(-0.5), axis.label(0.25), axis.label(0.0)], ["-0.5", "0.25", "0"]);
    }
}
