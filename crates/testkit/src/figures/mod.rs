//! The figures of `docs/algorithms`, drawn from generated models: each algorithm at work on its data.
//!
//! `cargo xtask figures` writes them; a test compares what is committed with what is drawn.

mod broad;
mod canvas;
mod clouds;
mod convex;
mod haptics;
mod meshes;
mod motion;
mod outline;
mod solids;

use std::error::Error;

/// A finished picture, or why there is none.
type Drawn = Result<String, Box<dyn Error>>;

/// The name of an algorithm page and what draws its figure.
type Figure = (&'static str, fn() -> Drawn);

const FIGURES: &[Figure] = &[
    ("average-case", solids::average_case),
    ("bounding-volume-hierarchies", meshes::hierarchy),
    ("box-tree", meshes::box_tree),
    ("clustering", broad::clustering),
    ("conservative-advancement", motion::advancement),
    ("convex-choice", convex::choice),
    ("cyrus-beck", convex::cyrus_beck),
    ("deforming-scenes", motion::deforming),
    ("depth-camera", clouds::depth_camera),
    ("dynamic-aabb-tree", broad::aabb_tree),
    ("edge-polygon", meshes::edge_polygon),
    ("exact-predicates", meshes::predicates),
    ("gjk-epa", convex::gjk_epa),
    ("god-object", haptics::god_object),
    ("gpu-filter", meshes::gpu_filter),
    ("half-edges", meshes::half_edges),
    ("inner-sphere-trees", solids::inner_spheres),
    ("interpolation-search", clouds::interpolation_search),
    ("kinetic", motion::kinetic),
    ("linear-ccd", motion::linear_ccd),
    ("mesh-mesh", meshes::mesh_mesh),
    ("moving-least-squares", clouds::least_squares),
    ("octree", broad::octree),
    ("overlap-volume", solids::overlap),
    ("pair-lists", haptics::pair_list),
    ("passivity", haptics::passivity),
    ("penetration-depth", solids::penetration),
    ("point-cloud-hierarchy", clouds::hierarchy),
    ("point-clouds", clouds::kd_tree),
    ("point-in-mesh", solids::point_in_mesh),
    ("point-in-polygon", meshes::point_in_polygon),
    ("proximity-graphs", clouds::graph),
    ("separating-plane", convex::perceptron),
    ("shape-pairs", convex::dispatch),
    ("sphere-packing", solids::packing),
    ("sweep-and-prune", broad::sweep_and_prune),
    ("triangle-triangle", meshes::triangles),
    ("uniform-grids", broad::grids),
    ("virtual-clay", haptics::virtual_clay),
    ("virtual-coupling", haptics::virtual_coupling),
    ("voxmap-pointshell", solids::voxmap),
    ("wide-tree", meshes::wide_tree),
    ("wrapping", solids::wrapping),
    ("z-buffer", meshes::z_buffer),
];

/// Every figure: the name of its page, and the SVG.
///
/// # Errors
/// What a generator or a query of the library refused.
///
/// ```no_run
/// for (name, svg) in impinge_testkit::figures::figures()? {
///     println!("{name}: {} bytes", svg.len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn figures() -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    FIGURES
        .iter()
        .map(|(name, draw)| {
            let drawn = draw().map_err(|error| format!("{name}: {error}"))?;
            Ok((*name, drawn))
        })
        .collect()
}
