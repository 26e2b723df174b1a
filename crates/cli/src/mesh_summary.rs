//! The measures of a mesh.

use impinge::mesh::{MeshClass, area, classify, mass};
use impinge::{DMat3, TriMesh};
use serde::Serialize;

use crate::number::{count, count_of, measure, measure_beside, point};

/// Size, class and mass of a mesh.
#[derive(Debug, Serialize)]
pub(crate) struct MeshSummary {
    vertices: usize,
    edges: usize,
    faces: usize,
    components: usize,
    closed: bool,
    manifold: bool,
    oriented: bool,
    outward: bool,
    convex: bool,
    /// Handles of all components together, where that is defined.
    genus: Option<u32>,
    euler: i64,
    boundary_loops: usize,
    bounds: Option<Bounds>,
    area: f64,
    /// The body inside, for density 1; none when the surface does not close.
    volume: Option<f64>,
    centroid: Option<[f64; 3]>,
    /// Rows of the tensor about the centroid.
    inertia: Option<[[f64; 3]; 3]>,
    /// Why there is no volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_volume_because: Option<String>,
}

#[derive(Debug, Serialize)]
struct Bounds {
    min: [f64; 3],
    max: [f64; 3],
}

impl Bounds {
    fn extent(&self) -> f64 {
        let sides = self.min.iter().zip(self.max);
        sides.fold(0.0, |longest, (low, high)| longest.max(high - low))
    }
}

impl MeshSummary {
    /// The measures of a mesh.
    pub(crate) fn of(mesh: &TriMesh) -> Self {
        let class = classify(mesh);
        let bounds = mesh.bounds();
        let body = mass(mesh);
        Self {
            vertices: mesh.vertex_count(),
            edges: class.edges,
            faces: class.faces,
            components: class.components,
            closed: class.closed,
            manifold: class.is_manifold(),
            oriented: class.oriented,
            outward: class.outward,
            convex: class.convex,
            genus: genus(&class),
            euler: class.euler,
            boundary_loops: class.boundary_loops,
            bounds: (!bounds.is_empty()).then(|| Bounds {
                min: bounds.min.to_array(),
                max: bounds.max.to_array(),
            }),
            area: area(mesh),
            volume: body.as_ref().ok().map(|body| body.volume),
            centroid: body.as_ref().ok().map(|body| body.centroid.to_array()),
            inertia: body.as_ref().ok().map(|body| rows(&body.inertia)),
            no_volume_because: body.err().map(|error| error.to_string()),
        }
    }

    /// The measures that fit into one line.
    pub(crate) fn sentence(&self) -> String {
        let mut text = format!(
            "{}, {}",
            count_of(self.faces, "face", "faces"),
            self.class_words()
        );
        if let Some(volume) = self.volume {
            text += &format!(", volume {}", measure(volume));
        }
        text
    }

    /// Labels and values.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            (
                "size",
                format!(
                    "{}, {}, {}",
                    count_of(self.faces, "face", "faces"),
                    count_of(self.vertices, "vertex", "vertices"),
                    count_of(self.edges, "edge", "edges")
                ),
            ),
            ("surface", self.class_words()),
        ];
        if let Some(Bounds { min, max }) = &self.bounds {
            facts.push((
                "bounds",
                format!("{} to {}", point((*min).into()), point((*max).into())),
            ));
        }
        facts.push(("area", measure(self.area)));
        if let (Some(volume), Some(centroid), Some(inertia)) =
            (self.volume, self.centroid, self.inertia)
        {
            facts.push(("volume", measure(volume)));
            let extent = self.bounds.as_ref().map_or(0.0, Bounds::extent);
            let [x, y, z] = centroid.map(|c| measure_beside(c, extent));
            facts.push(("centroid", format!("({x}, {y}, {z})")));
            let largest = inertia[0][0]
                .abs()
                .max(inertia[1][1].abs())
                .max(inertia[2][2].abs());
            let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] =
                inertia.map(|row| row.map(|entry| measure_beside(entry, largest)));
            facts.push((
                "inertia",
                format!("xx {xx}, yy {yy}, zz {zz}, xy {xy}, yz {yz}, zx {xz}"),
            ));
        } else if let Some(reason) = &self.no_volume_because {
            facts.push(("volume", format!("none: {reason}")));
        }
        facts
    }

    fn class_words(&self) -> String {
        let mut words = vec![
            if self.closed { "closed" } else { "open" }.to_owned(),
            if self.manifold {
                "manifold"
            } else {
                "not manifold"
            }
            .to_owned(),
        ];
        words.push(
            match (self.oriented, self.outward) {
                (true, true) => "facing outward",
                (true, false) => "oriented",
                (false, _) => "not oriented",
            }
            .to_owned(),
        );
        if self.convex {
            words.push("convex".to_owned());
        }
        if self.components > 1 {
            words.push(format!("{} components", count(self.components)));
        }
        if let Some(genus) = self.genus {
            words.push(format!("genus {genus}"));
        }
        if self.boundary_loops > 0 {
            words.push(count_of(self.boundary_loops, "border", "borders"));
        }
        words.join(", ")
    }
}

fn genus(class: &MeshClass) -> Option<u32> {
    (class.components > 0).then(|| class.genus()).flatten()
}

fn rows(matrix: &DMat3) -> [[f64; 3]; 3] {
    matrix.transpose().to_cols_array_2d()
}
