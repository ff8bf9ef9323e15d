//! The arguments of an example.

/// The arguments of a command line, taken one by one.
pub struct Arguments {
    rest: std::vec::IntoIter<String>,
}

impl Arguments {
    /// The arguments of this process.
    pub fn new() -> Self {
        Self { rest: std::env::args().skip(1).collect::<Vec<_>>().into_iter() }
    }

    /// The next one; `--option=value` counts as two.
    pub fn next(&mut self) -> Option<String> {
        let argument = self.rest.next()?;
        match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => {
                let rest: Vec<String> = std::iter::once(value.to_owned()).chain(self.rest.by_ref()).collect();
                self.rest = rest.into_iter();
                Some(option.to_owned())
            }
            _ => Some(argument),
        }
    }

    /// The value of `option`, the last argument taken.
    pub fn value(&mut self, option: &str) -> Result<String, String> {
        self.rest.next().ok_or_else(|| format!("{option} needs a value"))
    }
}
