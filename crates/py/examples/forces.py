"""A proxy slides over a knot; a contact law tells the force on a tool that is pressed into it."""

import impinge
import numpy as np
from impinge import dynamics

knot = impinge.generate("torus-knot", faces=2000)
scene = dynamics.ProxyScene()
scene.add(knot, friction=(0.4, 0.3), smooth=True)
proxy = dynamics.GodObject(scene, [0, 0, 3], stiffness=500.0)
path = proxy.follow(np.linspace([1.0, -0.5, 1.0], [1.0, 0.5, 0.0], 200))
print(f"{int((path.contacts > 0).sum())} of {len(path)} ticks touch, up to {np.linalg.norm(path.force, axis=1).max():.1f} N")

tool = impinge.Ball(0.3).to_mesh()
law = dynamics.ExactVolumeLaw(knot, tool, pressure=1e4)
print("force on the tool:", law.at([1.0, 0.0, 0.3]).force.round(1).tolist())
