//! Choice of algorithm by class.

use std::collections::BTreeMap;

use super::body::Class;
use crate::pair::PairConfig;

/// Pair options by class, instead of those of the world: another engine, solids, a race.
///
/// ```
/// use impinge::{convex::Ball, generate::icosphere, broad::DynamicAabbTree, pair::{MeshShape, PairConfig, Shape}};
/// use impinge::world::{Body, Class, ClassConfigs, EventMask, World, WorldConfig};
/// let (marble, vase) = (Class(0), Class(1));
/// let mut classes = ClassConfigs::default();
/// classes.set(marble, vase, PairConfig { solid: true, ..PairConfig::default() });
/// assert!(classes.get(vase, marble).is_some_and(|config| config.solid));
/// let mut world = World::new(DynamicAabbTree::default(), WorldConfig { classes, ..WorldConfig::default() });
/// world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
/// let hollow = Shape::from(MeshShape::new(std::sync::Arc::new(icosphere(2.0, 4)?)));
/// let ball = world.insert(Body::new(Ball::new(0.5)?).in_class(marble))?;
/// world.insert(Body::new(hollow).in_class(vase))?;
/// // It is inside the vase, which is solid for marbles and for nothing else.
/// assert_eq!(world.step().stats.touching, 1);
/// world.set_class(ball, Class(2))?;
/// assert_eq!(world.step().stats.touching, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClassConfigs {
    /// By the smaller and the larger class.
    by_classes: BTreeMap<(Class, Class), PairConfig>,
}

impl ClassConfigs {
    /// Sets how pairs of these two classes are queried.
    pub fn set(&mut self, x: Class, y: Class, config: PairConfig) {
        self.by_classes.insert((x.min(y), x.max(y)), config);
    }

    /// How pairs of these two classes are queried, if that was set.
    #[must_use]
    pub fn get(&self, x: Class, y: Class) -> Option<&PairConfig> {
        self.by_classes.get(&(x.min(y), x.max(y)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_classes.is_empty()
    }
}
