//! Checked settings of a query: no argument is silently ignored.

use anyhow::bail;
use impinge::Pose;
use impinge::depth::DepthOptions;
use impinge::math::Motion;
use impinge::penetration::PenetrationMethod;
use impinge_study::engines::Z_BUFFER;

use super::args::QueryArgs;
use super::engine::EngineArg;
use super::query_kind::{QueryKind, SolidRule, VolumeMethod};

/// Balls in each solid where nothing is said about how many.
const DEFAULT_BALLS: usize = 10_000;
/// The same for voxels.
const DEFAULT_VOXELS: u32 = 100;

/// Questions, and the numbers that belong to them.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// In the order of the command line, each once.
    pub(crate) asked: Vec<QueryKind>,
    /// Whether no query was named: then the distance is printed where it is one.
    pub(crate) is_default: bool,
    /// What "closer than" means.
    pub(crate) tolerance: Option<f64>,
    /// Distances beyond this are of no interest.
    pub(crate) max_distance: Option<f64>,
    /// How much too large a distance or depth may be.
    pub(crate) absolute_error: f64,
    /// The same, as part of itself.
    pub(crate) relative_error: Option<f64>,
    /// Tests of boxes and faces for each question.
    pub(crate) limit_tests: Option<u64>,
    /// Whether what the meshes enclose counts.
    pub(crate) solid: Option<SolidRule>,
    /// How shared volumes are found.
    pub(crate) method: PenetrationMethod,
    /// Balls in each solid, where they are found by balls.
    pub(crate) balls: usize,
    /// Voxels along the longest side of each solid, where they are found by voxels.
    pub(crate) voxels: u32,
    /// Where B goes.
    pub(crate) end: Option<Pose>,
    /// Full turns on the way, beyond the shortest.
    pub(crate) turns: u32,
    /// Whether pairs are wanted one by one.
    pub(crate) keeps_pairs: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            asked: vec![QueryKind::Intersects, QueryKind::Pairs, QueryKind::Distance],
            is_default: true,
            tolerance: None,
            max_distance: None,
            absolute_error: 0.0,
            relative_error: None,
            limit_tests: None,
            solid: None,
            method: PenetrationMethod::Exact,
            balls: DEFAULT_BALLS,
            voxels: DEFAULT_VOXELS,
            end: None,
            turns: 0,
            keeps_pairs: false,
        }
    }
}

impl Settings {
    /// The flags, if they belong together; `end` is what `--to` holds.
    pub(crate) fn new(args: &QueryArgs, end: Option<Pose>) -> anyhow::Result<Self> {
        let defaults = Self::default();
        let mut asked = Vec::new();
        for &question in &args.ask {
            if !asked.contains(&question) {
                asked.push(question);
            }
        }
        let is_default = asked.is_empty();
        if is_default {
            asked = defaults.asked;
        }
        let asks = |question| asked.contains(&question);
        if asks(QueryKind::Impact) && end.is_none() {
            bail!("impact asks about a motion: give its end with --to FILE (it begins at --pose)");
        }
        if end.is_some() && !asks(QueryKind::Impact) {
            bail!("--to is the end of a motion, and no question asks about one: add --ask impact");
        }
        if asks(QueryKind::Tolerance) && args.tolerance.is_none() {
            bail!(
                "tolerance asks whether the meshes are closer than a distance: give it with --tolerance D"
            );
        }
        if args.tolerance.is_some() && !asks(QueryKind::Tolerance) {
            bail!("--tolerance is part of a question that is not asked: add --ask tolerance");
        }
        if args.max_distance.is_some() && !asks(QueryKind::Distance) {
            bail!("--max-distance bounds the search for the distance: add distance to --ask");
        }
        if (args.abs_error.is_some() || args.rel_error.is_some())
            && !asks(QueryKind::Distance)
            && !asks(QueryKind::Depth)
        {
            bail!("--abs-error and --rel-error are about distance and depth: add one to --ask");
        }
        if args.pairs.is_some() && !asks(QueryKind::Pairs) {
            bail!("--pairs writes the answer to a question that is not asked: add pairs to --ask");
        }
        if args.repair_pose && args.pose.is_none() && args.poses.is_none() && args.to.is_none() {
            bail!("--repair-pose needs a pose to repair: give --pose, --poses or --to");
        }
        if args.overlap.is_some() && !asks(QueryKind::Volume) && !asks(QueryKind::Force) {
            bail!("--overlap shows the volume that the solids share: add volume or force to --ask");
        }
        if args.method.is_some() && !asks(QueryKind::Volume) && !asks(QueryKind::Force) {
            bail!("--method says how volume and force are found: add volume or force to --ask");
        }
        let has_balls = [VolumeMethod::Spheres, VolumeMethod::ByCost].map(Some);
        if args.balls.is_some() && !has_balls.contains(&args.method) {
            bail!("--balls is the number of balls in each solid: add --method spheres");
        }
        if args.voxels.is_some() && args.method != Some(VolumeMethod::Voxmap) {
            bail!("--voxels is how finely solids are divided: add --method voxmap");
        }
        if args.balls == Some(0) {
            bail!("--balls must be at least 1");
        }
        if args.method == Some(VolumeMethod::Tetrahedra) && asks(QueryKind::Force) {
            bail!(
                "tetrahedra tell a volume and no force: leave force out of --ask, or try --method exact or spheres"
            );
        }
        if args.show.is_some() && args.glb.is_none() && args.png.is_none() {
            bail!("--show needs a place to show it: add --glb OUT or --png OUT");
        }
        if args.pixels.is_some() && args.engine.named() != Some(Z_BUFFER) {
            bail!("--pixels is about the engine z-buffer: add --engine z-buffer");
        }
        let is_likely = args.p_min.is_some()
            || args.k_min.is_some()
            || args.budget.is_some()
            || args.order.is_some()
            || args.regions.is_some();
        if is_likely && args.engine != EngineArg::Average {
            bail!(
                "--p-min, --k-min, --order, --regions and --budget are about what is likely: add --engine average"
            );
        }
        let engine_tells_distance = args.engine.named().is_none_or(|e| e.answers_distance());
        if let Some(question) = asked.iter().find(|q| q.needs_distance())
            && !is_default
            && !engine_tells_distance
        {
            bail!(
                "the engine {} does not tell distances, and {} needs one; leave --engine away, or try --engine wide",
                args.engine,
                question.name()
            );
        }
        for (flag, value) in [
            ("--tolerance", args.tolerance),
            ("--max-distance", args.max_distance),
            ("--abs-error", args.abs_error),
            ("--rel-error", args.rel_error),
        ] {
            if let Some(value) = value
                && !(value >= 0.0 && value.is_finite())
            {
                bail!("{flag} must be a finite number that is not negative, not {value}");
            }
        }
        Ok(Self {
            asked,
            is_default,
            tolerance: args.tolerance,
            max_distance: args.max_distance,
            absolute_error: args.abs_error.unwrap_or(0.0),
            relative_error: args.rel_error,
            limit_tests: args.limit_tests,
            solid: args.solid,
            method: args
                .method
                .map_or(PenetrationMethod::Exact, VolumeMethod::method),
            balls: args.balls.unwrap_or(DEFAULT_BALLS),
            voxels: args.voxels.unwrap_or(DEFAULT_VOXELS),
            end,
            turns: args.turns,
            keeps_pairs: args.pairs.is_some() || args.png.is_some() || args.glb.is_some(),
        })
    }

    /// Whether the query is made.
    pub(crate) fn asks(&self, question: QueryKind) -> bool {
        self.asked.contains(&question)
    }

    /// Whether the default engine's trees are needed whatever the engine.
    pub(crate) fn needs_wide_tree(&self) -> bool {
        self.solid.is_some() || self.asked.iter().any(|q| q.needs_wide_tree())
    }

    /// Whether it matters what the meshes enclose.
    pub(crate) fn needs_solids(&self) -> bool {
        self.solid.is_some() || self.asks(QueryKind::Depth) || self.needs_volume()
    }

    /// Whether the volume is needed that the meshes share.
    pub(crate) fn needs_volume(&self) -> bool {
        self.asks(QueryKind::Volume) || self.asks(QueryKind::Force)
    }

    /// How good a depth must be.
    pub(crate) fn depth_options(&self) -> DepthOptions {
        let usual = DepthOptions::default();
        DepthOptions {
            absolute: self.absolute_error,
            relative: self.relative_error.unwrap_or(usual.relative),
        }
    }

    /// B's motion from a placement.
    pub(crate) fn motion_from(&self, start: &Pose) -> anyhow::Result<Option<Motion>> {
        let Some(end) = &self.end else {
            return Ok(None);
        };
        let shortest = Motion::between(start, end);
        if self.turns == 0 {
            return Ok(Some(shortest));
        }
        if shortest.angle() == 0.0 {
            bail!(
                "--turns adds turns about the axis of the rotation from --pose to --to, but they do not differ by one"
            );
        }
        let angle = shortest.angle() + std::f64::consts::TAU * f64::from(self.turns);
        Ok(Some(Motion::from_velocity(
            start,
            end.translation() - start.translation(),
            shortest.axis() * angle,
            [0.0; 3],
        )?))
    }
}
