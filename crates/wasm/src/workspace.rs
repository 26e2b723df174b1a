//! Hands of several users that lead bodies about among others.

use std::sync::Arc;

use impinge_dynamics::workspace::{self, WorkspaceBody, WorkspaceConfig};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use crate::js::{fail, matrix, numbers, pose, poses};
use crate::spheres::SphereTree;

/// Bodies filled with spheres that push each other, and hands on springs that hold them. A tick is a millisecond; all pairs that touch share
/// a budget of tests.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Workspace {
    bodies: Vec<WorkspaceBody>,
    hands: usize,
    config: WorkspaceConfig,
    /// Made when nothing can be added any more.
    workspace: Option<workspace::Workspace>,
}

impl Workspace {
    fn made(&mut self) -> Result<&mut workspace::Workspace, JsError> {
        let made = match self.workspace.take() {
            Some(made) => made,
            None => workspace::Workspace::new(self.bodies.clone(), self.hands, self.config)
                .map_err(fail)?,
        };
        Ok(self.workspace.insert(made))
    }
}

#[wasm_bindgen]
impl Workspace {
    /// So many hands and no bodies yet; with a floor at z = 0, and a budget of tests in a tick (200 000).
    #[wasm_bindgen(constructor)]
    pub fn new(
        hands: usize,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] budget: Option<u32>,
    ) -> Result<Self, JsError> {
        let mut config = WorkspaceConfig::table().map_err(fail)?;
        config.floor = Some((0.0, 2000.0));
        config.budget = budget.map_or(config.budget, u64::from);
        Ok(Self {
            bodies: Vec::new(),
            hands,
            config,
            workspace: None,
        })
    }

    /// Adds a body before the first tick: its spheres, its mass in kg and its inertia in kg·m²; returns its number.
    pub fn add(
        &mut self,
        spheres: &SphereTree,
        mass: f64,
        inertia: f64,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] at: &[f64],
    ) -> Result<usize, JsError> {
        if self.workspace.is_some() {
            return Err(fail("bodies come before the first grip and the first tick"));
        }
        self.bodies.push(WorkspaceBody {
            tree: Arc::new(spheres.tree.clone()),
            mass,
            inertia,
            world_from_body: pose(Some(at))?,
        });
        Ok(self.bodies.len() - 1)
    }

    /// Lets a hand hold a body where its device is now.
    pub fn grab(
        &mut self,
        hand: usize,
        body: usize,
        #[wasm_bindgen(unchecked_param_type = "PoseLike")] device: &[f64],
    ) -> Result<(), JsError> {
        let device = pose(Some(device))?;
        self.made()?.grab(hand, body, &device).map_err(fail)
    }

    /// Lets go.
    pub fn release(&mut self, hand: usize) -> Result<(), JsError> {
        self.made()?.release(hand).map_err(fail)
    }

    /// Advances by so many ticks of a millisecond while the devices, sixteen numbers each, go on evenly to these poses. Returns the force on
    /// each hand, three numbers each.
    pub fn advance(
        &mut self,
        ticks: u32,
        #[wasm_bindgen(unchecked_param_type = "Numbers")] from: &[f64],
        #[wasm_bindgen(unchecked_param_type = "Numbers")] to: &[f64],
    ) -> Result<Float64Array, JsError> {
        let (from, to) = (poses(from)?, poses(to)?);
        if from.len() != self.hands || to.len() != self.hands {
            return Err(fail(format!("expected poses of {} hands", self.hands)));
        }
        let ways: Vec<_> = from
            .iter()
            .zip(&to)
            .map(|(from, to)| impinge::math::Motion::between(from, to))
            .collect();
        let workspace = self.made()?;
        let mut forces = Vec::new();
        for tick in 1..=ticks {
            let t = f64::from(tick) / f64::from(ticks);
            let devices: Vec<_> = ways.iter().map(|way| way.at(t)).collect();
            let steps = workspace.tick(&devices);
            forces.clear();
            forces.extend(steps.iter().flat_map(|step| step.wrench.force.to_array()));
        }
        Ok(numbers(&forces))
    }

    /// Where all bodies are, sixteen numbers each.
    #[wasm_bindgen(getter)]
    pub fn poses(&self) -> Float64Array {
        let all: Vec<f64> = match &self.workspace {
            Some(made) => (0..made.body_count())
                .filter_map(|body| made.pose(body))
                .flat_map(|pose| matrix(&pose))
                .collect(),
            None => (self.bodies.iter())
                .flat_map(|body| matrix(&body.world_from_body))
                .collect(),
        };
        numbers(&all)
    }

    /// The contact forces on all bodies in the last tick, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn contacts(&self) -> Float64Array {
        let made = self.workspace.iter();
        let forces = made.flat_map(|w| (0..w.body_count()).filter_map(move |body| w.contact(body)));
        crate::js::flat(forces.map(|wrench| wrench.force))
    }
}
