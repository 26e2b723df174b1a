//! The force of the deepest point, for the benchmarks of quality and performance.

use impinge::Pose;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::depth::{DepthOptions, Solid, deepest_point};
use impinge::query::{Bounded, Limits, Penetration};

/// How wide a bracket may be, as a part of the depth.
const TOLERANCE: f64 = 1e-2;

/// Two solids that push each other apart by how deep one is in the other.
#[derive(Debug)]
pub(crate) struct Penalty<'t> {
    a: Solid<'t>,
    b: Solid<'t>,
    options: DepthOptions,
    most_tests: u64,
    cache: WideCache,
}

impl<'t> Penalty<'t> {
    /// Two solids, and what one depth may cost: corners in walls are equally deep all along, and no search has an end there.
    ///
    /// # Errors
    /// Meshes that are not closed.
    pub(crate) fn new(a: &'t WideTree, b: &'t WideTree, most_tests: u64) -> anyhow::Result<Self> {
        Ok(Self {
            a: Solid::closed(a)?,
            b: Solid::closed(b)?,
            options: DepthOptions {
                relative: TOLERANCE,
                ..DepthOptions::default()
            },
            most_tests,
            cache: WideCache::default(),
        })
    }

    /// How deep the solids are in each other.
    pub(crate) fn at(&mut self, pose: &Pose) -> Bounded<Option<Penetration>> {
        let limits = Limits {
            max_tests: Some(self.most_tests),
            ..Limits::default()
        };
        deepest_point(
            &self.a,
            &self.b,
            pose,
            &self.options,
            limits,
            &mut self.cache,
        )
    }
}
