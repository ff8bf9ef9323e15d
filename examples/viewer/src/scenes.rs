//! The scenes of the list, and scenes by name: `pile`, `pile-400`, or a file with a scene or a recording.

use dolmen::recording::Recording;
use dolmen::scene::generators::{self, Generator};
use dolmen::scene::{self, Scene};

/// The size of a generated scene in the list, where the generator's own takes longer a step than a
/// page should.
const SIZES: [(&str, usize); 4] = [("balls", 1000), ("mixed", 600), ("towers", 10), ("net", 30)];

/// A scene of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name with size, or name of a file.
    pub name: String,
    /// What it shows.
    pub about: &'static str,
}

/// What can be shown.
pub enum Loaded {
    Scene(Box<Scene>),
    Recording(Box<Recording>),
}

/// All generators with their sizes, and the scene that was asked for if it is none of them.
pub fn list(asked: Option<&str>) -> Vec<Entry> {
    let generated = generators::ALL.iter().map(|generator| {
        let size = size(generator);
        Entry { name: format!("{}-{size}", generator.name), about: generator.about }
    });
    let mut list: Vec<Entry> = generated.collect();
    if let Some(asked) = asked
        && list.iter().all(|entry| entry.name != asked)
    {
        list.insert(0, Entry { name: asked.to_owned(), about: "as asked for" });
    }
    list
}

/// A scene by its name.
///
/// # Errors
/// A sentence: there is no such generator or file, or the file is neither a scene nor a recording.
pub fn load(name: &str) -> Result<Loaded, String> {
    let (kind, size_asked) = match name.rsplit_once('-').map(|(kind, size)| (kind, size.parse::<usize>())) {
        Some((kind, Ok(size))) => (kind, Some(size)),
        _ => (name, None),
    };
    if let Some(generator) = generators::ALL.iter().find(|generator| generator.name == kind) {
        return Ok(Loaded::Scene(Box::new(generator.make(size_asked.unwrap_or_else(|| size(generator))).scene)));
    }
    of_file(name, &read(name)?)
}

/// What is in a file: text is a scene, anything else a recording.
///
/// # Errors
/// A sentence: the file is neither.
pub fn of_file(name: &str, bytes: &[u8]) -> Result<Loaded, String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => scene::read(text).map(|scene| Loaded::Scene(Box::new(scene))).map_err(|e| format!("{name}: {e}")),
        Err(_) => Recording::from_bytes(bytes)
            .map(|recording| Loaded::Recording(Box::new(recording)))
            .map_err(|e| format!("{name}: {e}")),
    }
}

fn size(generator: &Generator) -> usize {
    SIZES.iter().find(|(name, _)| *name == generator.name).map_or(generator.usual, |(_, size)| *size)
}

#[cfg(not(target_family = "wasm"))]
fn read(name: &str) -> Result<Vec<u8>, String> {
    std::fs::read(name).map_err(|e| {
        let names: Vec<_> = generators::ALL.iter().map(|generator| generator.name).collect();
        format!("{name}: neither a scene file ({e}) nor one of {}", names.join(", "))
    })
}

/// A page has no files.
#[cfg(target_family = "wasm")]
fn read(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("{name}: no such scene"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(name: &str) -> Result<Scene, String> {
        match load(name)? {
            Loaded::Scene(scene) => Ok(*scene),
            Loaded::Recording(_) => Err("a recording".into()),
        }
    }

    #[test]
    fn every_scene_of_the_list_is_made_with_bodies() {
        for entry in list(None) {
            assert!(scene(&entry.name).is_ok_and(|scene| scene.bodies.len() > 5), "{}", entry.name);
        }
    }

    #[test]
    fn a_name_may_have_a_size() {
        let cubes = |name| scene(name).map(|scene| scene.bodies.iter().filter(|b| b.name.is_none()).count());
        assert_eq!(cubes("pyramid-4").unwrap(), 10);
        assert_eq!(cubes("pyramid").unwrap(), 210);
        assert!(scene("mass_ratio_10").is_ok());
    }

    #[test]
    fn a_file_is_read_and_its_faults_are_named() {
        let path = std::env::temp_dir().join(format!("dolmen-viewer-{}.json", std::process::id()));
        let name = path.to_str().unwrap();
        std::fs::write(&path, r#"{ "bodies": [ { "shape": { "ball": { "radius": 0.5 } } } ] }"#).unwrap();
        assert_eq!(scene(name).unwrap().bodies.len(), 1);
        assert_eq!(list(Some(name))[0].name, name);
        std::fs::write(&path, r#"{ "bodies": [ { "shape": { "ball": { "radius": -1 } } } ] }"#).unwrap();
        assert!(scene(name).unwrap_err().contains("bodies[0].shape.radius: must be positive"));
        std::fs::remove_file(&path).unwrap();
        let error = scene(name).unwrap_err();
        assert!(error.contains(name) && error.contains("pyramid"), "{error}");
    }
}
