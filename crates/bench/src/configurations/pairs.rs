//! The pairs of models that configurations are made for.

use std::sync::Arc;

use anyhow::{Context, bail};
use impinge::mesh::mass;
use impinge::{TriMesh, generate};

use crate::rigid::fetched;

/// Of generated models that are random.
const SHAPE_SEED: u64 = 1;

/// Where a mesh comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelSource {
    /// A generated model with about this many faces.
    Made(&'static str, usize),
    /// A fetched model.
    File(&'static str),
    /// A file of the user's, or a model by name with its faces: in its own size and place.
    Own(&'static str),
}

/// Two models that are placed beside each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelPair {
    pub(crate) name: &'static str,
    pub(crate) class: &'static str,
    a: ModelSource,
    b: ModelSource,
    /// Whether both are solids, so that they have a volume to share.
    pub(crate) is_solid: bool,
    /// Whether a quick run takes it.
    pub(crate) is_quick: bool,
}

/// Both meshes, with longest sides of 2 around the origin (the user's own as they are); the same where the pair is of copies.
#[derive(Clone, Debug)]
pub(crate) struct Meshes {
    pub(crate) a: Arc<TriMesh>,
    pub(crate) b: Arc<TriMesh>,
}

use ModelSource::{File, Made, Own};

const fn copies(name: &'static str, class: &'static str, model: ModelSource) -> ModelPair {
    ModelPair {
        name,
        class,
        a: model,
        b: model,
        is_solid: true,
        is_quick: false,
    }
}

const fn quick(pair: ModelPair) -> ModelPair {
    ModelPair {
        is_quick: true,
        ..pair
    }
}

/// Eight pairs of generated models and four of fetched ones. Where copies of a sparse model could not share a tenth of its
/// volume, the second is a compact one.
pub(crate) const PAIRS: [ModelPair; 12] = [
    quick(copies("blob", "smooth", Made("blob", 5_000))),
    quick(copies("gear", "CAD", Made("gear", 5_000))),
    copies("screw", "CAD", Made("screw", 5_000)),
    quick(ModelPair {
        b: Made("blob", 2_000),
        ..copies("lattice-blob", "sparse", Made("lattice", 5_000))
    }),
    quick(ModelPair {
        b: Made("blob", 2_000),
        ..copies("knot-blob", "sparse", Made("torus-knot", 5_000))
    }),
    quick(copies("sponge", "blocks", Made("menger-sponge", 3_000))),
    ModelPair {
        is_solid: false,
        ..copies("castle", "mixed", Made("castle", 5_000))
    },
    quick(ModelPair {
        is_solid: false,
        ..copies("flake", "spiky", Made("tetra-flake", 4_000))
    }),
    quick(copies("bunny", "organic", File("bunny-small"))),
    copies("spot", "organic", File("spot")),
    copies("fandisk", "CAD", File("fandisk")),
    quick(copies("coupling", "CAD", File("coupling"))),
];

/// Copies of models of up to 300 000 faces, as published: generated ones that judge, and real ones where they are fetched.
pub(crate) const LARGE_PAIRS: [ModelPair; 8] = [
    copies("knot-300k", "smooth", Made("torus-knot", 300_000)),
    copies("brain-300k", "organic", Made("brain", 300_000)),
    copies("gear-100k", "CAD", Made("gear", 100_000)),
    ModelPair {
        is_solid: false,
        ..copies("castle-250k", "mixed", Made("castle", 250_000))
    },
    copies("bunny-70k", "organic", File("bunny")),
    copies("armadillo-52k", "organic", File("armadillo")),
    ModelPair {
        is_solid: false,
        ..copies("dragon-200k", "organic", File("dragon-res2"))
    },
    ModelPair {
        is_solid: false,
        ..copies("engine-120k", "CAD", File("engine"))
    },
];

/// The pairs whose names are given, all of them but large ones when none is.
///
/// # Errors
/// A name that no pair, no file and no generated model has.
pub(crate) fn chosen(names: &[String]) -> anyhow::Result<Vec<ModelPair>> {
    if names.is_empty() {
        return Ok(PAIRS.to_vec());
    }
    let mut found = Vec::new();
    let mut left = names.iter();
    while let Some(name) = left.next() {
        let listed = PAIRS.into_iter().chain(LARGE_PAIRS);
        if let Some(pair) = listed.clone().find(|pair| pair.name == name) {
            found.push(pair);
        } else if is_source(name) {
            let other = left.next().with_context(|| {
                format!("{name} has no second model: own models come in twos, as in A.obj,B.obj")
            })?;
            found.push(own_pair(name, other)?);
        } else {
            let all: Vec<&str> = listed.map(|pair| pair.name).collect();
            bail!(
                "no pair is called {name}, and there is no such file or generated model; pairs are {}",
                all.join(", ")
            );
        }
    }
    Ok(found)
}

impl ModelPair {
    /// Both meshes; none, with a word about it, when a file was not fetched.
    pub(crate) fn load(&self) -> anyhow::Result<Option<Meshes>> {
        let Some(a) = self.a.load()? else {
            return Ok(None);
        };
        let a = Arc::new(a);
        if self.a == self.b {
            return Ok(Some(Meshes {
                b: Arc::clone(&a),
                a,
            }));
        }
        let b = self.b.load()?;
        Ok(b.map(|b| Meshes { a, b: Arc::new(b) }))
    }
}

impl ModelSource {
    fn load(self) -> anyhow::Result<Option<TriMesh>> {
        match self {
            Made(name, faces) => {
                let kind = generate::model(name).with_context(|| format!("no model {name}"))?;
                Ok(Some(normalised(kind.make(Some(faces), SHAPE_SEED)?)?))
            }
            File(name) => {
                let mesh = fetched(name)?;
                if mesh.is_none() {
                    eprintln!("absent: model {name} (`cargo xtask models` fetches it)");
                }
                mesh.map(outward).transpose()
            }
            Own(source) => Ok(Some(outward(crate::pair::mesh(source)?)?)),
        }
    }
}

/// Whether a name in the list of pairs is a model of its own: a file, or a generated model with its number of faces.
fn is_source(name: &str) -> bool {
    let model = name.split_once(':').map_or(name, |(model, _)| model);
    std::path::Path::new(name).is_file() || generate::model(model).is_some()
}

/// A pair of two meshes that are not in the list.
fn own_pair(a: &str, b: &str) -> anyhow::Result<ModelPair> {
    // The program ends with its list of pairs, so names may live as long as it does.
    let kept = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let stem = |source: &str| {
        let stem = std::path::Path::new(source).file_stem();
        let stem = stem.map_or_else(
            || source.to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        );
        stem.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
            .to_lowercase()
    };
    let is_solid = |source: &str| -> anyhow::Result<bool> {
        Ok(mass(&crate::pair::mesh(source)?).is_ok_and(|mass| mass.volume != 0.0))
    };
    Ok(ModelPair {
        name: kept(format!("{}-{}", stem(a), stem(b))),
        class: "own",
        is_solid: is_solid(a)? && is_solid(b)?,
        a: Own(kept(a.to_owned())),
        b: Own(kept(b.to_owned())),
        is_quick: true,
    })
}

/// The mesh with its faces turned round if it is a solid inside out, as some files are.
fn outward(mesh: TriMesh) -> anyhow::Result<TriMesh> {
    if mass(&mesh).is_ok_and(|mass| mass.volume < 0.0) {
        let (positions, mut faces) = mesh.into_parts();
        for face in &mut faces {
            face.swap(1, 2);
        }
        return Ok(TriMesh::new(positions, faces)?);
    }
    Ok(mesh)
}

/// The mesh with a longest side of 2 around the origin.
fn normalised(mesh: TriMesh) -> anyhow::Result<TriMesh> {
    let bounds = mesh.bounds();
    let (center, side) = (bounds.center(), bounds.diagonal().max_element());
    let scale = if side > 0.0 { 2.0 / side } else { 1.0 };
    let (mut positions, faces) = mesh.into_parts();
    for p in &mut positions {
        *p = (*p - center) * scale;
    }
    Ok(TriMesh::new(positions, faces)?)
}

#[cfg(test)]
mod tests {
    use super::{LARGE_PAIRS, PAIRS, chosen};

    #[test]
    fn two_models_of_ones_own_are_a_pair() -> anyhow::Result<()> {
        let names = ["gear:500", "torus:300"].map(str::to_owned);
        let pairs = chosen(&names)?;
        assert_eq!(pairs.len(), 1);
        assert_eq!(
            (pairs[0].name, pairs[0].class),
            ("gear-500-torus-300", "own")
        );
        assert!(pairs[0].is_solid);
        let meshes = pairs[0].load()?.ok_or_else(|| anyhow::anyhow!("none"))?;
        assert!(meshes.a.face_count() > 300 && meshes.b.face_count() > 200);
        Ok(())
    }

    #[test]
    fn no_two_pairs_have_one_name() {
        let mut names: Vec<&str> = PAIRS.iter().chain(&LARGE_PAIRS).map(|p| p.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_single_model_and_an_unknown_name_are_refused() {
        let text = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            chosen(&names).err().map(|error| error.to_string())
        };
        assert!(text(&["gear:500"]).is_some_and(|t| t.contains("in twos")));
        assert!(text(&["nowhere.obj"]).is_some_and(|t| t.contains("no such file")));
    }
}
