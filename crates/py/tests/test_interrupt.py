"""Ctrl-C ends every long call soon: a real SIGINT to a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

SETUP = """
import signal
import time
# A shell that runs tests in the background makes its children deaf to SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
import impinge
import numpy as np
from impinge import dynamics
knot = impinge.generate("torus-knot", faces=20_000)
knot.intersects(knot), knot.volume(knot, [0.5, 0, 0]), knot.contains([0, 0, 0])
poses = np.random.default_rng(0).normal(size=(100_000, 3))
rays = np.tile(poses, (20, 1))
scene = dynamics.ProxyScene()
scene.add(knot)
proxy = dynamics.GodObject(scene, [9, 9, 9], stiffness=1.0)
law = dynamics.DepthLaw(knot, knot, stiffness=1.0)
parts = impinge.Assembly([(str(k), knot, at) for k, at in enumerate(0.2 * poses[:300])])
print("ready", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    # The clock is the same for all processes.
    print(time.monotonic(), flush=True)
"""

CALLS = {
    "batch of distances": "knot.distance_all(knot, 3 * poses)",
    "batch of depths": "knot.penetration_all(knot, 0.3 * poses)",
    "batch of volumes": "knot.volume_all(knot, 0.3 * poses)",
    "batch of impacts": "knot.impact_all(knot, 3 * poses, -3 * poses)",
    "batch of rays": "knot.cast_rays(rays, 0.1 - rays)",
    "batch of points": "knot.contains_all(rays)",
    "batch of forces": "law.at_all(0.3 * poses)",
    "path of a proxy": "proxy.follow(rays)",
    "one depth": "knot.penetration(knot, [0.001, 0.002, 0.003])",
    "clashes": "parts.clashes()",
    "packing": "impinge.pack(knot, count=100_000)",
    "cover": "impinge.cover_with_spheres(knot, count=4000)",
}

#: Seconds. The bar is 0.1; a busy machine gets ten times as long before the test fails.
MOST = 1.0


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_call_soon(name):
    code = SETUP.replace("{call}", CALLS[name])
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.4)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    took = float(said) - sent
    print(f"{name}: {1e3 * took:.0f} ms after the signal")
    assert took < MOST
    # Work that was left behind does not keep the process.
    assert process.returncode == 0
