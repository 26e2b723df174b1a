//! Collision detection that is exact where it says exact: do two solids touch, where, when, how close, how deep, how much volume
//! do they share?
//!
//! Begin at the [`front`] door, with one line: `use impinge::prelude::*;`. A [`Mesh`] is read from a file or made of arrays and queried
//! directly; a [`Pair`] of any two [shapes](pair::Shape) is queried repeatedly; a [`World`](world::World) reports events among many.
//!
//! ```
//! use impinge::prelude::*;
//! let tip = Mesh::new([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! // A second copy whose corner lies on the slanted face of the first, then the next number above.
//! assert!(tip.intersects(&tip, &Pose::from_translation([0.25, 0.25, 0.5])?));
//! assert!(!tip.intersects(&tip, &Pose::from_translation([0.25, 0.25, 0.5_f64.next_up()])?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules form layers; each may use only those below it (the table in `ARCHITECTURE.md` is
//! checked by a test). Five features, on by default, can be left out to build faster: `engines` (all but two of [`bvh::engines`]), `scene` ([`broad`],
//! [`world`], [`clash`]), `deform` ([`deform`], [`kinetic`]), `spheres` ([`spheres`], [`voxmap`], [`penetration`]) and `clouds` ([`cloud`], [`scan`]):
//!
//! | module | what it holds |
//! |---|---|
//! | [`math`] | poses, motions, intervals, exact predicates, outward rounding, seeded random numbers |
//! | [`geom`] | exact tests and distances of two triangles, segments, rays, boxes, balls |
//! | [`query`] | types of all queries: ids, sinks, limits, bounds, counters |
//! | [`bound`] | bounding volumes |
//! | [`mesh`] | triangle meshes, their topology, findings, repair, mass and inside tests |
//! | [`poly`] | planar polygon faces with holes: point tests, triangulation |
//! | [`generate`] | parametric and random models |
//! | [`io`] | mesh files (feature `formats`) |
//! | [`bvh`] | indexes that answer queries about two meshes |
//! | [`ccd`] | time of impact of moving meshes |
//! | [`kinetic`] | kinetic AABB trees and separation lists of deforming meshes, updated by events |
//! | [`convex`] | convex shapes: GJK, EPA, separating planes, hulls |
//! | [`depth`] | penetration depth, signed distance and their derivatives |
//! | [`volume`] | the overlap volume of two solids, and its derivative |
//! | [`wrap`] | alpha wrap: a closed surface around any triangles |
//! | [`spheres`] | sphere packings and covers of a solid, and inner sphere trees |
//! | [`voxmap`] | Voxmap-PointShell: penalty forces by voxels and points |
//! | [`scan`] | distance of a robot from the points of depth cameras |
//! | [`penetration`] | penetration volume of two solids, by any of three methods |
//! | [`broad`] | broad phases: which of many bodies come near each other |
//! | [`pair`] | shapes of every kind, and every query of two of them; contact manifolds |
//! | [`world`] | many moving objects: interest, events, listeners, traces |
//! | [`cloud`] | point clouds: neighbours, proximity graphs, moving least squares |
//! | [`clash`] | which parts of an assembly collide or come too close |
//! | [`deform`] | deforming scenes and self-collision: pairs of a frame, impacts of a step |
//! | [`front`] | [`Mesh`] and [`Pair`], which are queried directly; the verbs of shapes, worlds and assemblies; [`prelude`] |
//! | [`average_case`] | probabilistic collision detection, and the expected cost of a traversal |
//!
//! What responds to contact is in the crate `impinge-dynamics` (haptic rendering, rigid and soft bodies), what runs on graphics cards in `impinge-gpu`. Both
//! use this one; so does the Python package `impinge`.

pub mod average_case;
pub mod bound;
#[cfg(feature = "scene")]
#[doc(alias = "broad phase")]
#[doc(alias = "SAP")]
#[doc(alias = "AABB tree")]
pub mod broad;
#[doc(alias = "BVH")]
#[doc(alias = "bounding volume hierarchy")]
#[doc(alias = "BVTT")]
pub mod bvh;
#[doc(alias = "CCD")]
#[doc(alias = "TOI")]
#[doc(alias = "time of impact")]
#[doc(alias = "continuous collision detection")]
pub mod ccd;
#[cfg(feature = "scene")]
pub mod clash;
#[doc(alias = "MLS")]
#[doc(alias = "moving least squares")]
#[doc(alias = "kd-tree")]
pub mod cloud;
#[doc(alias = "GJK")]
#[doc(alias = "EPA")]
#[doc(alias = "SAT")]
#[doc(alias = "Minkowski difference")]
pub mod convex;
#[cfg(feature = "deform")]
pub mod deform;
#[doc(alias = "penetration depth")]
#[doc(alias = "MTV")]
#[doc(alias = "minimum translation")]
pub mod depth;
pub mod front;
pub mod generate;
pub mod geom;
#[cfg(feature = "formats")]
pub mod io;
#[cfg(feature = "deform")]
#[doc(alias = "KDS")]
#[doc(alias = "kinetic data structure")]
#[doc(alias = "kinetic event")]
pub mod kinetic;
pub mod math;
pub mod mesh;
#[doc(alias = "narrow phase")]
pub mod pair;
#[cfg(feature = "spheres")]
pub mod penetration;
pub mod poly;
pub mod query;
#[cfg(feature = "clouds")]
pub mod scan;
#[doc(alias = "IST")]
#[doc(alias = "inner sphere tree")]
#[doc(alias = "sphere packing")]
pub mod spheres;
#[doc(alias = "CSG")]
#[doc(alias = "boolean")]
#[doc(alias = "intersection volume")]
pub mod volume;
#[cfg(feature = "spheres")]
#[doc(alias = "VPS")]
#[doc(alias = "Voxmap-PointShell")]
#[doc(alias = "haptics")]
pub mod voxmap;
#[cfg(feature = "scene")]
pub mod world;
#[doc(alias = "alpha wrap")]
#[doc(alias = "watertight")]
pub mod wrap;

pub use front::{LimitedPair, Mesh, Pair, SolidError, prelude};
pub use glam;
pub use glam::{DMat3, DVec2, DVec3};
pub use math::{Pose, PoseError};
pub use mesh::{MeshError, TriMesh};

// The code in the readme is a documentation test.
#[cfg(all(doctest, feature = "formats", feature = "scene"))]
#[doc = include_str!("../README.md")]
struct Readme;
