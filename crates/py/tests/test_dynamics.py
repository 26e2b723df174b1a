"""Contact laws and the god-object."""

from __future__ import annotations

import pickle

import impinge
import numpy as np
import pytest
from impinge import dynamics

TABLE = impinge.Cuboid([1, 1, 1]).to_mesh()
TOOL = impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh()
TIP = impinge.Polyhedron([[-1, 0, 0], [1, 1, 0], [1, -1, 1], [1, 0, -1]]).to_mesh()
BALLS = impinge.SphereTree.of_mesh(TOOL, count=200)
OPEN = impinge.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])


def laws():
    return [
        dynamics.ExactVolumeLaw(TABLE, TOOL, pressure=10.0),
        dynamics.ConeLaw(BALLS, BALLS, stiffness=100.0),
        dynamics.BudgetedSphereLaw(BALLS, BALLS, pressure=10.0, tests=10**6),
        dynamics.VoxmapLaw(TABLE, TOOL, stiffness=1.0, resolution=30),
        dynamics.DepthLaw(TABLE, TIP, stiffness=100.0),
    ]


@pytest.mark.parametrize("law", laws(), ids=lambda law: type(law).__name__)
def test_every_law_pushes_the_tool_out_and_none_acts_at_a_distance(law):
    assert isinstance(law, dynamics.ContactLaw) and type(law).__name__ in repr(law)
    reach = 1.9 if isinstance(law, dynamics.DepthLaw) else 0.9 if "Sphere" in repr(law) or "Cone" in repr(law) else 1.4
    pressed = law.at([reach, 0.01, 0.02])
    assert pressed.force[0] > 0.0 and abs(pressed.force[1:]).max() < pressed.force[0] and pressed.complete
    free = law.at([9, 0, 0])
    assert not free.force.any() and not free.torque.any() and free.stiffness == 0.0 and free.complete
    deeper = law.at([reach - 0.05, 0.01, 0.02])
    # The area of contact of two boxes does not grow with depth; everything else does.
    assert deeper.force[0] >= pressed.force[0] - 1e-9


def test_the_force_is_the_gradient_of_the_shared_volume():
    law = dynamics.ExactVolumeLaw(TABLE, TOOL, pressure=10.0)
    for pose in ([1.25, 0.1, 0.2], impinge.rotation([1, 2, 3], 0.4, [1.2, 0.3, -0.2])):
        truth = TABLE.volume(TOOL, pose)
        assert np.allclose(law.at(pose).force, -10.0 * truth.gradient, atol=1e-9)
        matrix = np.asarray(pose) if np.ndim(pose) == 2 else impinge.translation(pose)
        about_tool = -10.0 * truth.gradient_rotation - np.cross(matrix[:3, 3], law.at(pose).force)
        assert np.allclose(law.at(pose).torque, about_tool, atol=1e-9)


def test_the_depth_law_is_a_spring_and_knows_its_stiffness():
    law = dynamics.DepthLaw(TABLE, TIP, stiffness=100.0)
    for x in (1.99, 1.9, 1.8):
        found = law.at([x, 0.2, 0.1])
        assert found.force[0] == pytest.approx(100.0 * (2.0 - x), rel=2e-3) and found.stiffness == 100.0


def test_a_law_follows_its_solid():
    at = impinge.rotation([0, 0, 1], np.pi / 2, [3, 2, 1])
    law = dynamics.ExactVolumeLaw(TABLE, TOOL, pressure=10.0, solid_pose=at)
    away = dynamics.ExactVolumeLaw(TABLE, TOOL, pressure=10.0)
    turned = law.at(at @ impinge.translation([1.25, 0, 0]))
    assert np.allclose(turned.force, at[:3, :3] @ away.at([1.25, 0, 0]).force)


@pytest.mark.parametrize("law", laws(), ids=lambda law: type(law).__name__)
def test_many_poses_give_the_same_bytes_for_any_number_of_threads(law):
    poses = np.random.default_rng(1).normal(size=(150, 3))
    one, two = law.at_all(poses, threads=1), law.at_all(poses, threads=2)
    assert one.force.tobytes() == two.force.tobytes() and one.torque.tobytes() == two.torque.tobytes()
    assert one.force.shape == one.torque.shape == (150, 3) and one.complete.shape == (150,) and len(one) == 150
    if not isinstance(law, dynamics.BudgetedSphereLaw):
        assert all(np.array_equal(law.at(pose).force, force) for pose, force in zip(poses, one.force))
    assert len(law.at_all(np.zeros((0, 3)))) == 0


def test_a_small_budget_is_told():
    law = dynamics.BudgetedSphereLaw(BALLS, BALLS, pressure=10.0, tests=20)
    assert not all(law.at([0.05 * k, 0, 0]).complete for k in range(20))


def test_bad_laws_are_refused():
    for call, message in (
        (lambda: dynamics.ExactVolumeLaw(OPEN, TOOL, pressure=1.0), "clos|direction"),
        (lambda: dynamics.DepthLaw(TABLE, OPEN, stiffness=1.0), "tool"),
        (lambda: dynamics.VoxmapLaw(OPEN, TOOL, stiffness=1.0), "solid: "),
        (lambda: dynamics.VoxmapLaw(TABLE, TOOL, stiffness=1.0, resolution=0), "resolution"),
        (lambda: dynamics.DepthLaw(TABLE, TOOL, stiffness=-1.0), "positive"),
        (lambda: dynamics.ConeLaw(BALLS, BALLS, stiffness=np.nan), "positive"),
        (lambda: dynamics.ConeLaw(BALLS, BALLS, stiffness=1.0, solid_pose=np.ones((4, 4))), "solid_pose"),
        (lambda: laws()[0].at([0, 0, np.inf]), "pose"),
        (lambda: laws()[0].at_all(np.ones((2, 2))), "poses"),
        (lambda: laws()[0].at_all(np.ones((2, 3)), threads=0), "threads"),
    ):
        with pytest.raises(impinge.Error, match=message):
            call()
    with pytest.raises(TypeError):
        dynamics.ConeLaw(TABLE, TOOL, stiffness=1.0)  # type: ignore[arg-type]


def test_answers_are_pickled_and_print():
    found = laws()[0].at([1.25, 0, 0])
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.force, found.force) and repr(again) == repr(found)
    assert repr(found).startswith("ContactResponse(stiffness=")
    scene = dynamics.ProxyScene()
    step = dynamics.GodObject(scene, [0, 0, 0], stiffness=1.0).update([0, 0, 1])
    assert repr(pickle.loads(pickle.dumps(step))) == repr(step)


def floor_and_proxy(**options):
    scene = dynamics.ProxyScene()
    body = scene.add(impinge.Cuboid([1, 1, 0.5]).to_mesh(), [0, 0, -0.5])
    return scene, body, dynamics.GodObject(scene, [0.1, 0.2, 0.5], stiffness=1000.0, **options)


def test_the_proxy_rests_on_the_surface_and_the_spring_pulls_back():
    scene, body, proxy = floor_and_proxy()
    step = proxy.update([0.1, 0.2, -0.01])
    assert step.proxy[2] == pytest.approx(proxy.offset, abs=1e-12) and np.allclose(step.proxy[:2], [0.1, 0.2])
    assert step.force[2] == pytest.approx(1000.0 * (0.01 + proxy.offset)) and not step.crossed
    ((touched, face, normal, push),) = step.contacts
    assert touched == body and normal == [0.0, 0.0, 1.0] and push > 0.0 and face < 12
    assert np.array_equal(proxy.proxy, step.proxy) and proxy.scene is scene


def test_the_proxy_never_passes_a_thin_sheet_however_fast():
    scene = dynamics.ProxyScene()
    scene.add(impinge.Mesh([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]]))
    proxy = dynamics.GodObject(scene, [0, 0, 1], stiffness=10.0)
    targets = np.random.default_rng(0).normal(size=(500, 3)) * [1, 1, 100]
    path = proxy.follow(targets)
    assert (path.proxy[:, 2] > 0).all() and (path.contacts > 0).any() and not path.crossed.any()
    below = targets[:, 2] < -1
    assert np.allclose(path.force[below, 2], 10.0 * (path.proxy[below, 2] - targets[below, 2]))


def test_a_path_is_the_same_as_its_steps():
    targets = np.random.default_rng(2).normal(size=(100, 3)) * 0.5
    path = floor_and_proxy()[2].follow(targets)
    proxy = floor_and_proxy()[2]
    steps = [proxy.update(target) for target in targets]
    assert np.array_equal(path.proxy, [step.proxy for step in steps])
    assert path.contacts.tolist() == [len(step.contacts) for step in steps]


def test_a_ball_stays_a_radius_away():
    step = floor_and_proxy(radius=0.1)[2].update([0.1, 0.2, -0.3])
    assert step.proxy[2] == pytest.approx(0.1, abs=1e-3)


def test_friction_holds_the_proxy_inside_the_cone():
    scene = dynamics.ProxyScene()
    scene.add(impinge.Cuboid([1, 1, 0.5]).to_mesh(), [0, 0, -0.5], friction=(0.5, 0.3))
    proxy = dynamics.GodObject(scene, [0, 0, 0.5], stiffness=1000.0)
    proxy.update([0, 0, -0.1])
    assert np.allclose(proxy.update([0.03, 0, -0.1]).proxy[:2], 0.0)
    slid = proxy.update([0.2, 0, -0.1])
    assert slid.sliding and 0.0 < slid.proxy[0] < 0.2


def test_a_body_that_moves_carries_the_proxy():
    scene, body, proxy = floor_and_proxy()
    proxy.update([0.1, 0.2, -0.05])
    scene.set_pose(body, [0, 0, -0.25])
    assert scene.pose(body)[2, 3] == -0.25
    assert proxy.update([0.1, 0.2, -0.05]).proxy[2] == pytest.approx(0.25, abs=1e-4)


def test_a_target_that_is_not_finite_holds_the_proxy():
    _, _, proxy = floor_and_proxy()
    step = proxy.update([np.nan, 0, 0])
    assert step.held and not step.force.any() and np.allclose(step.proxy, [0.1, 0.2, 0.5])


def test_bad_scenes_and_proxies_are_refused():
    scene, body, proxy = floor_and_proxy()
    empty = impinge.Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    for call, message in (
        (lambda: scene.add(empty), "no faces"),
        (lambda: scene.add(TOOL, friction=(0.3, 0.5)), "friction"),
        (lambda: scene.set_pose(7, [0, 0, 0]), "no body 7"),
        (lambda: scene.pose(7), "no body 7"),
        (lambda: dynamics.GodObject(scene, [0, 0, 0], stiffness=1.0), "starts on a face"),
        (lambda: dynamics.GodObject(scene, [0, 0, 1], stiffness=0.0), "positive"),
        (lambda: dynamics.GodObject(scene, [0, 0, 0.5], stiffness=1.0, radius=0.6), "starts on a face"),
        (lambda: proxy.update([0, 0, 1], duration=0.0), "duration"),
        (lambda: proxy.follow(np.zeros((2, 2))), "targets"),
    ):
        with pytest.raises(impinge.Error, match=message):
            call()
    assert len(scene) == 1 and "1 bodies" in repr(scene) and "1000" in repr(proxy)
