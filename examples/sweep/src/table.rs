//! The table: rows of finished runs. It grows while a sweep runs, and is sorted at its end.

use crate::Fault;
use crate::plan::{Plan, Run};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Rows of a plan, by run.
pub struct Rows<'a> {
    plan: &'a Plan,
    header: Vec<String>,
    /// Column of the error; those before it tell runs apart.
    error: usize,
    /// Index in the plan by the start of a row.
    index: HashMap<Vec<&'a str>, usize>,
    rows: Vec<Option<Vec<String>>>,
}

impl<'a> Rows<'a> {
    /// No rows yet.
    pub fn of(plan: &'a Plan, header: Vec<String>) -> Self {
        let index = plan.runs.iter().enumerate().map(|(k, run)| (start_of(run), k)).collect();
        Self { plan, error: plan.parameters.len() + 2, header, index, rows: vec![None; plan.runs.len()] }
    }

    /// True if a run has a row.
    pub fn has(&self, run: &Run) -> bool {
        self.row(run).is_some()
    }

    fn row(&self, run: &Run) -> Option<&Vec<String>> {
        self.rows[*self.index.get(&start_of(run))?].as_ref()
    }

    /// The number of these runs that failed.
    pub fn failed(&self, runs: &[&Run]) -> usize {
        runs.iter().filter_map(|run| self.row(run)).filter(|row| !row[self.error].is_empty()).count()
    }

    /// Takes the rows of other tables of this sweep.
    pub fn take_over(&mut self, files: &[PathBuf]) -> Result<(), Fault> {
        files.iter().try_for_each(|file| self.read(file).map(drop))
    }

    /// Reads a table of this sweep; returns the length of its whole rows in bytes. A last line without an end, of a
    /// sweep that was killed, counts as none.
    fn read(&mut self, file: &Path) -> Result<u64, Fault> {
        let named = |problem: String| format!("{}: {problem}", file.display());
        let text = std::fs::read(file).map_err(|e| named(e.to_string()))?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&text[..whole]);
        for (line, record) in reader.records().enumerate() {
            let row: Vec<String> = record.map_err(|e| named(e.to_string()))?.iter().map(str::to_owned).collect();
            if line == 0 {
                if row != self.header {
                    return Err(named(format!("its columns are not those of this sweep: {}", row.join(","))).into());
                }
                continue;
            }
            let key: Vec<_> = row[..self.error].iter().map(String::as_str).collect();
            let Some(&index) = self.index.get(&key) else {
                return Err(named(format!("row {line} is no run of this sweep: {}", key.join(","))).into());
            };
            self.rows[index] = Some(row);
        }
        Ok(whole as u64)
    }

    /// Writes header and rows in the order of the plan.
    fn write(&self, to: &mut impl Write) -> Result<(), Fault> {
        let mut writer = csv::Writer::from_writer(to);
        writer.write_record(&self.header)?;
        for row in self.plan.runs.iter().filter_map(|run| self.row(run)) {
            writer.write_record(row)?;
        }
        Ok(writer.flush()?)
    }
}

/// Start of the row of a run: scene, values, digest.
fn start_of(run: &Run) -> Vec<&str> {
    let values = run.values.iter().map(String::as_str);
    std::iter::once(run.scene.as_str()).chain(values).chain([run.digest.as_str()]).collect()
}

/// The file of a table while its sweep runs.
pub struct Table {
    path: PathBuf,
    file: File,
}

impl Table {
    /// Opens or begins a table, and takes its rows. It is locked against other sweeps.
    pub fn open(path: &Path, rows: &mut Rows) -> Result<Self, Fault> {
        let named = |problem: &dyn std::fmt::Display| format!("{}: {problem}", path.display());
        let open = OpenOptions::new().create(true).append(true).read(true).open(path);
        let mut file = open.map_err(|e| named(&e))?;
        file.try_lock().map_err(|_| named(&"another sweep writes it"))?;
        let whole = rows.read(path)?;
        file.set_len(whole)?;
        if whole == 0 {
            file.write_all(&line(&rows.header)?)?;
        }
        Ok(Self { path: path.to_owned(), file })
    }

    /// Appends a row, in one piece.
    pub fn append(&self, row: &[String]) -> Result<(), Fault> {
        Ok((&self.file).write_all(&line(row)?)?)
    }

    /// Puts the rows in the order of the plan. They are in the file already: it is replaced by a whole one.
    pub fn finish(self, rows: &mut Rows) -> Result<(), Fault> {
        rows.read(&self.path)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut sorted = tempfile::NamedTempFile::new_in(folder)?;
        rows.write(&mut sorted)?;
        sorted.persist(&self.path)?;
        Ok(())
    }
}

/// A row as a line.
fn line(row: &[String]) -> Result<Vec<u8>, Fault> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(row)?;
    Ok(writer.into_inner()?)
}
