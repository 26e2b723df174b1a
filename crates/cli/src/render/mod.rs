//! Pictures of meshes, drawn in plain Rust: the same scene gives the same bytes on every machine.
//!
//! **Idea.** A z-buffer keeps the nearest face of every sample ([`raster`]); light arrives from some
//! dozens of directions, each with a depth map of its own ([`light`]), so that soft shadows and the
//! darkening of crevices are one and the same thing; every sample of a pixel looks at another part of
//! the sky and the average is smooth ([`shade`]).
//!
//! **Cost.** One pass over the faces for the picture and one per light; beyond
//! [`light::FULL_SKY_FACES`] faces the sky is sampled more coarsely.
//!
//! **Limits.** Opaque surfaces only; positions are drawn relative to the scene's bounds, so parts
//! smaller than a sample are not seen.

mod camera;
mod colour;
mod ground;
mod image;
mod light;
mod normals;
mod overlay;
mod raster;
mod scene;
mod shade;

pub(crate) use colour::Colour;
pub(crate) use image::{Image, TOWARDS_VIEWER, draw};
pub(crate) use scene::{Body, Scene, Stroke, Up};
