//! Converts build items to placed parts.

use std::collections::{BTreeMap, BTreeSet};

use super::super::affine::{Affine, InstancePlacer};
use super::super::assembly::Assembly;
use super::super::error::ReadError;
use super::super::model::Model;
use super::super::text;
use super::super::unit::Unit;
use super::package::Package;
use super::xml::{self, ComponentInstance, ModelFile};

/// Maximum number of components and items that one file may place, counting repetitions.
const MAX_PLACED: usize = 1 << 20;

pub(in super::super) fn read(bytes: &[u8], factor: f64, limit: u64) -> Result<Model, ReadError> {
    let built = build(
        bytes,
        InstancePlacer::new(bytes.len(), factor, limit),
        limit,
    )?;
    let mut model = Model::from(built.placer.parts);
    model.unit = built.unit;
    model.notes = built.notes;
    Ok(model)
}

pub(in super::super) fn read_assembly(
    bytes: &[u8],
    factor: f64,
    limit: u64,
) -> Result<Assembly, ReadError> {
    let built = build(
        bytes,
        InstancePlacer::sharing(bytes.len(), factor, limit),
        limit,
    )?;
    Ok(Assembly {
        unit: built.unit,
        notes: built.notes,
        ..built.placer.into_assembly()
    })
}

/// All placed instances, with the unit and the notes of the file.
struct BuiltParts {
    placer: InstancePlacer,
    unit: Option<Unit>,
    notes: Vec<String>,
}

fn build(bytes: &[u8], mut placer: InstancePlacer, limit: u64) -> Result<BuiltParts, ReadError> {
    let mut package = Package::open(bytes, limit)?;
    let main = package.main_model()?;
    let files = load(&mut package, &main)?;
    let Some(root) = files.get(&main) else {
        return Err(ReadError::malformed("the archive has no model"));
    };
    let mut notes = Vec::new();
    let mut items = root.items.clone();
    if items.is_empty() && !root.objects.is_empty() {
        notes.push("the build is empty; every mesh was read where it is".to_owned());
        items = root
            .objects
            .iter()
            .filter(|(_, object)| !object.faces.is_empty())
            .map(|(&object, _)| ComponentInstance {
                object,
                file: None,
                map: Affine::IDENTITY,
            })
            .collect();
    }
    place(&files, &main, &items, &mut placer)?;
    Ok(BuiltParts {
        placer,
        unit: root.unit,
        notes,
    })
}

/// The main model file and all that it refers to.
fn load(package: &mut Package<'_>, main: &str) -> Result<BTreeMap<String, ModelFile>, ReadError> {
    let mut files = BTreeMap::new();
    let mut wanted = vec![main.to_owned()];
    while let Some(name) = wanted.pop() {
        if files.contains_key(&name) {
            continue;
        }
        let file = xml::parse(&package.text(&name)?, &name)?;
        let components = file.objects.values().flat_map(|o| &o.components);
        wanted.extend(
            components
                .chain(&file.items)
                .filter_map(|placed| placed.file.clone())
                .filter(|path| !files.contains_key(path)),
        );
        files.insert(name, file);
    }
    Ok(files)
}

/// A step of the walk through components.
enum BuildStep<'a> {
    /// Go into an object of a file, under the map of what places it.
    Enter(&'a str, &'a ComponentInstance, Affine),
    /// Everything inside this object has been placed.
    Leave(&'a str, u64),
}

fn place(
    files: &BTreeMap<String, ModelFile>,
    main: &str,
    items: &[ComponentInstance],
    placer: &mut InstancePlacer,
) -> Result<(), ReadError> {
    let mut stack: Vec<BuildStep<'_>> = items
        .iter()
        .rev()
        .map(|item| BuildStep::Enter(main, item, Affine::IDENTITY))
        .collect();
    let mut around = BTreeSet::new();
    let mut count = 0;
    while let Some(step) = stack.pop() {
        let (file, placed, parent) = match step {
            BuildStep::Enter(file, placed, parent) => (file, placed, parent),
            BuildStep::Leave(file, object) => {
                around.remove(&(file, object));
                continue;
            }
        };
        count += 1;
        if count > MAX_PLACED {
            return Err(ReadError::malformed(format!(
                "components of components place more than {MAX_PLACED} objects"
            )));
        }
        let file = placed.file.as_deref().unwrap_or(file);
        let Some(object) = files.get(file).and_then(|f| f.objects.get(&placed.object)) else {
            return Err(ReadError::malformed(format!(
                "object {} does not exist in '{}'",
                placed.object,
                text::shown(file.as_bytes())
            )));
        };
        let map = parent
            .after(&placed.map)
            .ok_or_else(|| ReadError::malformed("the transforms of nested components overflow"))?;
        if let Some(shared) = &mut placer.shared {
            let key = format!("{}/{file}", placed.object);
            if !shared.knows(&key) {
                shared.learn(
                    key.clone(),
                    Ok((object.positions.clone(), object.faces.clone())),
                );
            }
            shared.want(object.name.clone(), &key, &map);
            let size = object.name.len() as u64 + size_of::<Affine>() as u64;
            placer.charge(size, "the names of parts")?;
        } else if !object.faces.is_empty() {
            let size = object.positions.len() as u64 * 24
                + object.faces.len() as u64 * 12
                + object.name.len() as u64;
            placer.charge(size, "the placed geometry")?;
            placer.add(
                object.name.clone(),
                object.positions.clone(),
                object.faces.clone(),
                &map,
            )?;
        }
        if object.components.is_empty() {
            continue;
        }
        // An object inside itself has no end; without one, the stack stays within the file's size.
        if !around.insert((file, placed.object)) {
            return Err(ReadError::malformed(format!(
                "object {} contains itself",
                placed.object
            )));
        }
        stack.push(BuildStep::Leave(file, placed.object));
        let inside = object.components.iter().rev();
        stack.extend(inside.map(|component| BuildStep::Enter(file, component, map)));
    }
    Ok(())
}
