//! A field of a scene with its values, and how it is set.

use serde_json::{Map, Value};
use std::str::FromStr;

/// A field of a scene with the values that a sweep gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As it was written: `bodies[*].density`.
    pub path: String,
    pub values: Vec<Value>,
    steps: Vec<Step>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Index(usize),
    Every,
    /// The elements of a list whose `name` it is.
    Named(String),
}

impl FromStr for Parameter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (path, values) = text.split_once('=').ok_or_else(|| format!("{text}: no `=` between path and values"))?;
        Ok(Self { path: path.to_owned(), steps: steps(path)?, values: values_of(values)? })
    }
}

impl Parameter {
    /// Sets the field in a scene.
    pub fn set(&self, scene: &mut Value, value: &Value) -> Result<(), String> {
        match set(scene, &self.steps, value) {
            Some(0) | None => Err(format!("{}: the scene has no such place", self.path)),
            Some(_) => Ok(()),
        }
    }
}

/// Steps of a path: `bodies[3].shape.ball.radius`, `bodies[*].density`, `bodies[floor].restitution`.
fn steps(path: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (field, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if field.is_empty() {
            return Err(format!("{path}: a field without a name"));
        }
        steps.push(Step::Field(field.to_owned()));
        while let Some(inside) = rest.strip_prefix('[') {
            let (index, after) = inside.split_once(']').ok_or_else(|| format!("{path}: no `]` after `[`"))?;
            steps.push(match index.parse() {
                Ok(index) => Step::Index(index),
                Err(_) if index == "*" => Step::Every,
                Err(_) => Step::Named(index.to_owned()),
            });
            rest = after;
        }
        if !rest.is_empty() {
            return Err(format!("{path}: {rest} after `]`"));
        }
    }
    Ok(steps)
}

/// Values: JSON or words, separated by commas outside of brackets; or `from..to/count`.
fn values_of(text: &str) -> Result<Vec<Value>, String> {
    if let Some(range) = range_of(text)? {
        return Ok(range);
    }
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        depth += i32::from(c == '[' || c == '{') - i32::from(c == ']' || c == '}');
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("one part at least").push(c),
        }
    }
    let value = |part: String| match part.trim() {
        "" => Err(format!("{text}: an empty value")),
        part => Ok(serde_json::from_str(part).unwrap_or_else(|_| Value::from(part))),
    };
    parts.into_iter().map(value).collect()
}

/// The values of `from..to/count`, both ends included; `None` if it is no range.
fn range_of(text: &str) -> Result<Option<Vec<Value>>, String> {
    let Some((from, rest)) = text.split_once("..") else { return Ok(None) };
    let (to, count) = rest.split_once('/').ok_or_else(|| format!("{text}: a range is from..to/count"))?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|e| format!("{text}: {e}"));
    let (from, to) = (number(from)?, number(to)?);
    let count: u32 = count.trim().parse().map_err(|e| format!("{count}: {e}"))?;
    if count < 2 {
        return Err(format!("{text}: a range has two values at least"));
    }
    let last = f64::from(count - 1);
    let at = |k: u32| if k + 1 == count { to } else { from + (to - from) * (f64::from(k) / last) };
    Ok(Some((0..count).map(|k| Value::from(at(k))).collect()))
}

/// Sets a value at a path; returns the number of places, or `None` if there is no such place.
/// Objects are created on the way, since a scene may leave out those with defaults.
fn set(at: &mut Value, steps: &[Step], value: &Value) -> Option<usize> {
    let Some((first, rest)) = steps.split_first() else {
        *at = value.clone();
        return Some(1);
    };
    let all = |elements: &mut dyn Iterator<Item = &mut Value>| {
        elements.map(|element| set(element, rest, value)).sum::<Option<usize>>()
    };
    match first {
        Step::Field(field) => {
            let inside = at.as_object_mut()?.entry(field.clone()).or_insert_with(|| Value::Object(Map::new()));
            set(inside, rest, value)
        }
        Step::Index(index) => set(at.as_array_mut()?.get_mut(*index)?, rest, value),
        Step::Every => all(&mut at.as_array_mut()?.iter_mut()),
        Step::Named(name) => {
            all(&mut at.as_array_mut()?.iter_mut().filter(|element| element["name"].as_str() == Some(name)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(text: &str) -> Parameter {
        text.parse().expect("a parameter")
    }

    #[test]
    fn values_are_json_words_or_a_range() {
        assert_eq!(
            parsed("a=1,2.5,game,[0,1],null").values,
            [json!(1), json!(2.5), json!("game"), json!([0, 1]), Value::Null]
        );
        assert_eq!(parsed("a=0..1/3").values, [json!(0.0), json!(0.5), json!(1.0)]);
        for wrong in ["a", "=1", "a=", "a=1,,2", "a=0..1", "a=0..1/1", "a=0..x/3", "a[1=2", "a[1]b=2", "a..b=1"] {
            assert!(wrong.parse::<Parameter>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_sets_a_field_an_element_all_of_a_list_or_those_of_a_name() {
        let scene = json!({ "bodies": [{ "name": "floor" }, { "name": "crate", "density": 3 }, { "name": "crate" }] });
        let set = |text: &str| {
            let (mut scene, parameter) = (scene.clone(), parsed(text));
            parameter.set(&mut scene, &parameter.values[0]).map(|()| scene)
        };
        assert_eq!(set("settings.accuracy=exact").unwrap()["settings"], json!({ "accuracy": "exact" }));
        assert_eq!(set("bodies[1].density=7").unwrap()["bodies"][1]["density"], 7);
        let densities = |scene: Value| [0, 1, 2].map(|k| scene["bodies"][k]["density"].as_i64());
        assert_eq!(densities(set("bodies[*].density=7").unwrap()), [Some(7); 3]);
        assert_eq!(densities(set("bodies[crate].density=7").unwrap()), [None, Some(7), Some(7)]);
        for wrong in ["bodies[9].density=1", "bodies[wall].density=1", "bodies.density=1", "bodies[0][1]=2"] {
            assert!(set(wrong).is_err(), "{wrong}");
        }
    }
}
