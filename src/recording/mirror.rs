//! Copies of all recorded columns as the last step left them, to find what the game changed since.

use super::changes::Change;
use super::columns::{Columns, is_recorded};
use super::recorder::RecordError;
use super::shapes::Shapes;
use crate::rows::entity_of;
use hecs::{Archetype, Entity, World};
use rustc_hash::{FxHashMap, FxHashSet};

/// The copies, by archetype in hecs' order, which only grows.
#[derive(Default)]
pub(super) struct Mirror {
    archetypes: Vec<Copied>,
    differs: Vec<bool>,
}

/// The copy of one archetype.
#[derive(Default)]
struct Copied {
    entities: Vec<Entity>,
    columns: Columns,
    /// True if the game changed a row, or which entities it has, since it was copied.
    edited: bool,
}

impl Copied {
    /// True if no entity entered or left the archetype in a step, which spawns none.
    fn has_ids_of(&self, archetype: &Archetype) -> bool {
        let ids = if is_recorded(archetype) { archetype.ids() } else { &[] };
        self.entities.len() == ids.len() && self.entities.iter().zip(ids).all(|(entity, &id)| entity.id() == id)
    }

    /// True if the archetype has the same entities in the same rows as when it was copied.
    fn has_entities_of(&self, world: &World, archetype: &Archetype) -> bool {
        let count = if is_recorded(archetype) { archetype.len() as usize } else { 0 };
        self.entities.len() == count
            && self.entities.iter().enumerate().all(|(row, &entity)| entity == entity_of(world, archetype, row))
    }
}

impl Mirror {
    /// Lists what the game changed, in an order of rows.
    ///
    /// # Errors
    /// [`RecordError::Shape`].
    pub fn changes(&mut self, world: &World, shapes: &mut Shapes) -> Result<Vec<Change>, RecordError> {
        let (mut changes, mut moved) = (Vec::new(), Vec::new());
        let count = world.archetypes().len();
        self.archetypes.resize_with(count.max(self.archetypes.len()), Copied::default);
        for (index, (archetype, copied)) in world.archetypes().zip(&mut self.archetypes).enumerate() {
            if !copied.has_entities_of(world, archetype) {
                copied.edited = true;
                moved.push(index);
                continue;
            }
            if copied.entities.is_empty() {
                continue;
            }
            self.differs.clear();
            self.differs.resize(copied.entities.len(), false);
            copied.columns.mark_differing(archetype, &mut self.differs);
            for row in (0..copied.entities.len()).filter(|&row| self.differs[row]) {
                copied.edited = true;
                let entity = copied.entities[row];
                let (values, removed) =
                    Columns::difference(Some((&copied.columns, row)), (archetype, row), entity, shapes)?;
                changes.push(Change::Edited(entity, values, removed));
            }
        }
        self.moved_rows(world, shapes, &moved, &mut changes)?;
        Ok(changes)
    }

    /// Lists the changes in archetypes that entities entered or left.
    fn moved_rows(
        &self,
        world: &World,
        shapes: &mut Shapes,
        moved: &[usize],
        changes: &mut Vec<Change>,
    ) -> Result<(), RecordError> {
        if moved.is_empty() {
            return Ok(());
        }
        let rows = |&index: &usize| (0..self.archetypes[index].entities.len()).map(move |row| (index, row));
        let before: FxHashMap<Entity, (usize, usize)> = moved
            .iter()
            .flat_map(rows)
            .map(|(index, row)| (self.archetypes[index].entities[row], (index, row)))
            .collect();
        let mut present = FxHashSet::default();
        let all: Vec<&Archetype> = world.archetypes().collect();
        let mut later = Vec::new();
        for archetype in moved.iter().map(|&index| all[index]).filter(|archetype| is_recorded(archetype)) {
            for row in 0..archetype.len() as usize {
                let entity = entity_of(world, archetype, row);
                present.insert(entity);
                let known = before.get(&entity).map(|&(index, row)| (&self.archetypes[index].columns, row));
                let (values, removed) = Columns::difference(known, (archetype, row), entity, shapes)?;
                if known.is_none() {
                    later.push(Change::Spawned(entity, values));
                } else if !(values.is_empty() && removed.is_empty()) {
                    later.push(Change::Edited(entity, values, removed));
                }
            }
        }
        // An entity may have the number of one despawned before it.
        let gone = moved.iter().flat_map(|&index| &self.archetypes[index].entities);
        changes.extend(gone.filter(|entity| !present.contains(entity)).map(|&entity| Change::Despawned(entity)));
        changes.append(&mut later);
        Ok(())
    }

    /// Copies what the step wrote, and what the game had changed before; with `all`, every column.
    pub fn update(&mut self, world: &World, all: bool) {
        self.archetypes.resize_with(world.archetypes().len(), Copied::default);
        for (archetype, copied) in world.archetypes().zip(&mut self.archetypes) {
            if copied.has_ids_of(archetype) && !copied.edited && !all {
                if !copied.entities.is_empty() {
                    copied.columns.copy_written(archetype);
                }
                continue;
            }
            copied.edited = false;
            copied.entities.clear();
            if is_recorded(archetype) {
                copied.entities.extend((0..archetype.len() as usize).map(|row| entity_of(world, archetype, row)));
                copied.columns.copy(archetype);
            } else {
                copied.columns = Columns::default();
            }
        }
    }
}
