//! From build items to placed parts.

use std::collections::BTreeMap;

use super::super::affine::{Affine, Placer};
use super::super::error::ReadError;
use super::super::model::Model;
use super::super::text;
use super::package::Package;
use super::xml::{self, ModelFile, Placed};

/// The deepest nesting of components; deeper ones can only be circular.
const MAX_DEPTH: usize = 64;
/// The most components and items that one file may place, repetitions counted.
const MAX_PLACED: usize = 1 << 20;

pub(in super::super) fn read(bytes: &[u8], factor: f64, limit: u64) -> Result<Model, ReadError> {
    let mut package = Package::open(bytes, limit)?;
    let main = package.main_model()?;
    let files = load(&mut package, &main)?;
    let Some(root) = files.get(&main) else {
        return Err(ReadError::malformed("the archive has no model"));
    };
    let mut placer = Placer::new(bytes.len(), factor, limit);
    let mut notes = Vec::new();
    let mut items = root.items.clone();
    if items.is_empty() && !root.objects.is_empty() {
        notes.push("the build is empty; every mesh was read where it is".to_owned());
        items = root
            .objects
            .iter()
            .filter(|(_, object)| !object.faces.is_empty())
            .map(|(&object, _)| Placed {
                object,
                file: None,
                map: Affine::IDENTITY,
            })
            .collect();
    }
    place(&files, &main, &items, &mut placer)?;
    let mut model = Model::from(placer.parts);
    model.unit = root.unit;
    model.notes = notes;
    Ok(model)
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

fn place(
    files: &BTreeMap<String, ModelFile>,
    main: &str,
    items: &[Placed],
    placer: &mut Placer,
) -> Result<(), ReadError> {
    let mut stack: Vec<(&str, &Placed, Affine, usize)> = items
        .iter()
        .rev()
        .map(|item| (main, item, Affine::IDENTITY, 0))
        .collect();
    let mut count = 0;
    while let Some((file, placed, parent, depth)) = stack.pop() {
        count += 1;
        if depth > MAX_DEPTH || count > MAX_PLACED {
            return Err(ReadError::malformed(format!(
                "components nest deeper than {MAX_DEPTH} or place more than {MAX_PLACED} objects; do they contain themselves?"
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
        if !object.faces.is_empty() {
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
        // The stack holds at most the children of each level on the way down.
        for component in object.components.iter().rev() {
            stack.push((file, component, map, depth + 1));
        }
    }
    Ok(())
}
