"""With trimesh installed: the stand-ins in its place answer as its own do."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("trimesh")

SCRIPT = """
import numpy as np, trimesh, impinge.trimesh
impinge.trimesh.install()
box = trimesh.creation.box()
assert type(box.ray).__module__ == "impinge.trimesh", type(box.ray)
hits, rays, _ = box.ray.intersects_location([[0.1, 0.2, 5]], [[0, 0, -1]])
assert np.allclose(sorted(hits[:, 2]), [-0.5, 0.5]), hits
assert box.contains([[0, 0, 0], [2, 0, 0]]).tolist() == [True, False]
assert np.allclose(box.nearest.signed_distance([[0, 0, 0], [0, 0, 2]]), [0.5, -1.5])
points, distance, face = trimesh.proximity.closest_point(box, [[0, 0, 2]])
assert np.allclose(points, [[0, 0, 0.5]])
manager = trimesh.collision.CollisionManager()
manager.add_object("a", box)
assert manager.in_collision_single(box, trimesh.transformations.translation_matrix([0.9, 0, 0]))
assert np.isclose(manager.min_distance_single(box, trimesh.transformations.translation_matrix([0.75, 0, 0])), -0.25)
ball = trimesh.creation.icosphere(subdivisions=3)
ball.apply_translation([5, 0, 0])
assert ball.contains([[5, 0, 0]])[0] and not ball.contains([[0, 0, 0]])[0]
scene = trimesh.Scene([box, ball])
found, objects = trimesh.collision.scene_to_collision(scene)
assert not found.in_collision_internal() and len(objects) == 2
"""


def test_trimesh_with_the_stand_ins_installed():
    # A process of its own: what is installed stays.
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
