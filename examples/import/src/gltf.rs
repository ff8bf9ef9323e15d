//! glTF 2: the nodes of a scene become bodies and further colliders.

mod buffers;
mod rules;
mod shape;

use crate::{ImportError, Imported, Name};
use ::gltf::{Document, Gltf, Node};
use dolmen::math::{DMat3, DVec3, from_f64};
use dolmen::prelude::*;
use hecs::{EntityBuilder, World};
use rules::{BodyKind, Rules};
use std::path::Path;

/// Nodes may lie so deep in each other, and no deeper.
const DEEPEST: usize = 256;

/// Imports the default scene of a file, or its first: `.gltf` with its buffers beside it or within it,
/// or `.glb`.
///
/// # Errors
/// [`ImportError`], with the name of the node; then nothing was spawned.
pub fn load(world: &mut World, path: &Path) -> Result<Imported, ImportError> {
    let bytes = std::fs::read(path).map_err(|error| ImportError::Read { path: path.display().to_string(), error })?;
    load_bytes(world, &bytes, path.parent())
}

/// Imports the bytes of a file; buffers in other files are looked for in a folder.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(world: &mut World, bytes: &[u8], folder: Option<&Path>) -> Result<Imported, ImportError> {
    // Checks of the crate index lists before they check the index (gltf-json 1.4.1).
    let parsed = std::panic::catch_unwind(|| Gltf::from_slice(bytes)).map_err(|_| ImportError::Contradiction)?;
    let Gltf { document, blob } = parsed?;
    let buffers = buffers::read(&document, blob, folder)?;
    let mut found = Vec::new();
    for node in roots(&document) {
        visit(&node, &Place::ROOT, None, 0, &buffers, &mut found)?;
    }
    Ok(spawn(world, found))
}

fn roots(document: &Document) -> Vec<Node<'_>> {
    let scene = document.default_scene().or_else(|| document.scenes().next());
    scene.map_or_else(Vec::new, |scene| scene.nodes().collect())
}

/// An affine map from a node's axes to the world's.
#[derive(Clone, Copy)]
struct Place {
    linear: DMat3,
    position: DVec3,
}

impl Place {
    const ROOT: Self = Self { linear: DMat3::IDENTITY, position: DVec3::ZERO };

    fn child(&self, node: &Node) -> Self {
        let columns = node.transform().matrix().map(|[x, y, z, _]| [x, y, z].map(f64::from));
        let [x, y, z, position] = columns.map(DVec3::from_array);
        Self { linear: self.linear * DMat3::from_cols(x, y, z), position: self.position + self.linear * position }
    }

    /// The rotation that is left when the axes are made unit vectors, x first, and square to each
    /// other; a mirror turns the last one round.
    fn rotation(&self) -> Option<DMat3> {
        let x = self.linear.x_axis.try_normalize()?;
        let y = (self.linear.y_axis - x * x.dot(self.linear.y_axis)).try_normalize()?;
        Some(DMat3::from_cols(x, y, x.cross(y)))
    }
}

/// A node that becomes a body or a further collider.
struct Item {
    name: String,
    rules: Rules,
    /// `None`: a body. Else the index of its body, and its pose there.
    part_of: Option<usize>,
    position: Vec3,
    orientation: Quat,
    collider: Collider,
}

fn item_error(name: &str, problem: impl Into<String>) -> ImportError {
    ImportError::Item { kind: "node", name: name.into(), problem: problem.into() }
}

fn name_of(node: &Node) -> String {
    node.name().map_or_else(|| format!("#{}", node.index()), str::to_string)
}

fn visit(
    node: &Node,
    parent: &Place,
    body: Option<usize>,
    depth: usize,
    buffers: &[Vec<u8>],
    found: &mut Vec<Item>,
) -> Result<(), ImportError> {
    let name = name_of(node);
    if depth > DEEPEST {
        return Err(item_error(&name, format!("nodes lie more than {DEEPEST} deep in each other")));
    }
    let place = parent.child(node);
    if !(place.position.is_finite() && place.linear.determinant().is_finite()) {
        return Err(item_error(&name, "its transform is not finite"));
    }
    let mut body = body;
    if let Some(rules) = Rules::of(node, &name)? {
        let rotation = place.rotation().ok_or_else(|| item_error(&name, "its scale is zero along an axis"))?;
        // What the rotation leaves is baked into the shape: scale, shear and mirrors.
        let baked = rotation.transpose() * place.linear;
        let collider = shape::of(node, &name, &rules, &baked, buffers)?;
        // A node without a word about its kind belongs to the body that it lies in.
        let part_of = body.filter(|_| rules.body.is_none());
        let turn = dolmen::math::DQuat::from_mat3(&rotation).normalize();
        let q = Quat::from_xyzw(turn.x as Real, turn.y as Real, turn.z as Real, turn.w as Real).normalize();
        let (mut position, mut orientation) = (from_f64(place.position), q);
        if let Some(owner) = part_of.map(|owner| &found[owner]) {
            let back = owner.orientation.inverse();
            (position, orientation) = (back * (position - owner.position), (back * q).normalize());
        }
        found.push(Item { name, rules, part_of, position, orientation, collider });
        if part_of.is_none() {
            body = Some(found.len() - 1);
        }
    }
    node.children().try_for_each(|child| visit(&child, &place, body, depth + 1, buffers, found))
}

fn spawn(world: &mut World, found: Vec<Item>) -> Imported {
    let mut imported = Imported::default();
    // Bodies first: colliders name them.
    let bodies: Vec<Option<Entity>> = found
        .iter()
        .map(|item| {
            let body = item.part_of.is_none().then(|| world.spawn(()))?;
            imported.bodies.push(body);
            Some(body)
        })
        .collect();
    for (k, item) in found.into_iter().enumerate() {
        let mut row = EntityBuilder::new();
        row.add(Name(item.name)).add(item.collider);
        item.rules.add_to(&mut row);
        match item.part_of.and_then(|owner| bodies[owner]) {
            Some(body) => {
                row.add(ColliderOf { body, position: item.position, orientation: item.orientation });
                imported.colliders.push(world.spawn(row.build()));
            }
            None => {
                let kind = item.rules.body.unwrap_or(BodyKind::Static);
                let motion = (LinearVelocity::default(), AngularVelocity::default(), BodySlot::UNASSIGNED);
                row.add(RigidBody::from(kind)).add(Position(item.position)).add(Orientation(item.orientation));
                row.add_bundle(motion);
                item.rules.add_mass_to(&mut row);
                let entity = bodies[k].expect("each body was spawned before");
                world.insert(entity, row.build()).expect("it was spawned just now");
            }
        }
    }
    imported
}
