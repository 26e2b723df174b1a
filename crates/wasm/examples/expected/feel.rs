use std::error::Error;
use std::sync::Arc;

use impinge::{DVec3, Pose};
use impinge_dynamics::effect::{HeightMap, Texture};
use impinge_dynamics::friction::{Friction, FrictionState};
use impinge_dynamics::penalty::{PenaltyField, PenaltyVolume};
use impinge_dynamics::proxy::{GodObject, ProxyScene};
use impinge_dynamics::shading::VertexNormals;
use impinge_dynamics::stability::PassivityObserver;

use crate::{Numbers, model};

pub(crate) fn answer() -> Result<Numbers, Box<dyn Error>> {
    let ball = model("icosphere", 320)?;
    let mut scene = ProxyScene::new();
    let body = scene.add(Arc::clone(ball.index()), Pose::IDENTITY)?;
    scene.set_friction(body, Friction::coulomb(0.5, 0.25)?)?;
    scene.set_shading(body, Some(Arc::new(VertexNormals::new(ball.tri_mesh()))))?;
    let mut god = GodObject::new(&mut scene, 100.0, DVec3::new(0.0, 0.0, 1.5))?;
    let volumes = vec![
        PenaltyVolume::ball([0.0; 3], 1.0)?,
        PenaltyVolume::cuboid([-0.5, -0.5, -2.0], [0.5; 3])?,
    ];
    let field = PenaltyField::new(100.0, volumes)?;
    let ridges = HeightMap::from_heights(2, 2, 0.25, &[0.0, 0.125, 0.0, 0.125])?;
    let texture = Texture::new(ridges, [-1.0, -1.0, 0.0], DVec3::X, DVec3::Y)?;
    let mut meter = PassivityObserver::default();
    let mut numbers = Numbers::default();
    let step = DVec3::new(0.015625, 0.0, -0.03125);
    for tick in 0..40 {
        let at = DVec3::new(0.25, 0.125, 1.25) + step * f64::from(tick);
        let felt = god.update(&mut scene, at, 0.001);
        let leaning = texture.apply(felt.proxy, felt.force);
        let energy = meter.observe(if tick == 0 { DVec3::ZERO } else { step });
        meter.hold(leaning);
        numbers.point(felt.proxy).point(felt.force);
        numbers.truth(felt.held).truth(felt.crossed);
        numbers.truth(felt.friction == FrictionState::Slip);
        numbers.point(field.force(at)).point(leaning).add(energy);
    }
    Ok(numbers)
}
