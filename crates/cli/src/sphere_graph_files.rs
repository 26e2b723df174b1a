//! What `impinge pack` writes beside the balls: the medial axis, and which balls touch.

use std::fmt::Write;
use std::path::Path;

use anyhow::bail;
use impinge::spheres::{MedialAxis, SolidBall, SphereGraph, sphere_files};
use serde::Serialize;

/// Balls touch when their gap is at most this part of the smallest radius.
const TOUCH: f64 = 0.1;

/// How nodes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeFormat {
    Json,
    Ply,
}

impl NodeFormat {
    /// By the extension.
    pub(crate) fn of(path: &Path) -> anyhow::Result<Self> {
        match extension(path).as_deref() {
            Some("json") => Ok(Self::Json),
            Some("ply") => Ok(Self::Ply),
            _ => bail!(
                "nodes are written as .json or .ply, not as {}",
                path.display()
            ),
        }
    }
}

/// Refuses a graph in another format than the one there is.
pub(crate) fn check_graph(path: &Path) -> anyhow::Result<()> {
    if extension(path).as_deref() != Some("json") {
        bail!(
            "which balls touch is written as .json, not as {}",
            path.display()
        );
    }
    Ok(())
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|e| e.to_string_lossy().to_lowercase())
}

/// The medial axis as a list of balls or as points that have a radius, with its edges.
pub(crate) fn medial_axis(axis: &MedialAxis, format: NodeFormat) -> anyhow::Result<Vec<u8>> {
    if format == NodeFormat::Json {
        let mut bytes = Vec::new();
        sphere_files::write_json(axis.nodes(), &mut bytes)?;
        let mut document: serde_json::Value = serde_json::from_slice(&bytes)?;
        document["edges"] = serde_json::to_value(axis.edges())?;
        return Ok(serde_json::to_vec(&document)?);
    }
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\n",
        axis.nodes().len()
    );
    for property in ["x", "y", "z", "radius"] {
        writeln!(text, "property double {property}")?;
    }
    writeln!(text, "element edge {}", axis.edges().len())?;
    text += "property int vertex1\nproperty int vertex2\nend_header\n";
    for node in axis.nodes() {
        let [x, y, z] = node.center.to_array();
        // As many digits as bring back the same bits.
        writeln!(text, "{x:?} {y:?} {z:?} {:?}", node.radius)?;
    }
    for [a, b] in axis.edges() {
        writeln!(text, "{a} {b}")?;
    }
    Ok(text.into_bytes())
}

#[derive(Serialize)]
struct GraphRecord {
    balls: usize,
    /// The largest gap of two balls that count as touching.
    gap: f64,
    /// Numbers of balls in the order of the list, the smaller first.
    edges: Vec<[u32; 2]>,
    /// For each ball the number of its connected piece.
    pieces: Vec<u32>,
}

/// Which balls touch, and how many pairs do.
pub(crate) fn graph(balls: &[SolidBall]) -> anyhow::Result<(Vec<u8>, usize)> {
    let smallest = balls
        .iter()
        .map(|ball| ball.radius)
        .fold(f64::INFINITY, f64::min);
    let gap = if smallest.is_finite() {
        TOUCH * smallest
    } else {
        0.0
    };
    let graph = SphereGraph::new(balls, gap);
    let edges = (0..graph.len() as u32)
        .flat_map(|a| {
            let later = graph.neighbours(a as usize).iter().filter(move |&&b| b > a);
            later.map(move |&b| [a, b])
        })
        .collect();
    let record = GraphRecord {
        balls: graph.len(),
        gap,
        edges,
        pieces: graph.pieces(),
    };
    Ok((serde_json::to_vec(&record)?, graph.edge_count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::DVec3;

    #[test]
    fn touching_balls_are_edges_and_nodes_keep_their_bits() {
        let ball = |x: f64, radius| SolidBall {
            center: DVec3::X * x,
            radius,
        };
        let balls = [ball(0.0, 1.0), ball(1.5, 0.5), ball(9.0, 0.5)];
        let (bytes, pairs) = graph(&balls).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(pairs, 1);
        assert_eq!(record["edges"], serde_json::json!([[0, 1]]));
        assert_eq!(record["pieces"], serde_json::json!([0, 0, 1]));
        let axis = MedialAxis::of_nodes(vec![ball(1.0 / 3.0, 0.1), ball(0.25, 0.1)]);
        let text = String::from_utf8(medial_axis(&axis, NodeFormat::Ply).unwrap()).unwrap();
        assert!(
            text.ends_with("end_header\n0.3333333333333333 0.0 0.0 0.1\n0.25 0.0 0.0 0.1\n0 1\n"),
            "{text}"
        );
        let bytes = medial_axis(&axis, NodeFormat::Json).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(document["edges"], serde_json::json!([[0, 1]]));
        assert_eq!(document["spheres"][0]["center"][0], 1.0 / 3.0);
        assert!(NodeFormat::of(Path::new("a.obj")).is_err());
        assert!(check_graph(Path::new("a.ply")).is_err());
    }
}
