"""Responses to contact: the force and torque of contact laws, and the god-object for haptic rendering.

>>> import impinge
>>> from impinge import dynamics
>>> table, tool = impinge.Cuboid([1, 1, 1]).to_mesh(), impinge.Cuboid([0.5, 0.5, 0.5]).to_mesh()
>>> dynamics.ExactVolumeLaw(table, tool, pressure=10.0).at([1.25, 0, 0]).force.round(9).tolist()
[10.0, 0.0, 0.0]

========================  ======================  ===============================
law                       force grows with        made of
========================  ======================  ===============================
``ExactVolumeLaw``        area of contact         closed meshes
``ConeLaw``               volume                  sphere trees; the default choice
``BudgetedSphereLaw``     area of contact         sphere trees, bounded time
``VoxmapLaw``             depths of points        closed meshes, voxels and points
``DepthLaw``              greatest depth          closed meshes
========================  ======================  ===============================

No law holds a tool that has passed the middle of a thin solid. ``GodObject`` never passes a surface; it is a point or a ball.
"""

from ._impinge import (
    BudgetedSphereLaw,
    ConeLaw,
    ContactLaw,
    ContactResponse,
    ContactResponses,
    DepthLaw,
    ExactVolumeLaw,
    GodObject,
    ProxyPath,
    ProxyScene,
    ProxyStep,
    VoxmapLaw,
)

__all__ = [
    "BudgetedSphereLaw",
    "ConeLaw",
    "ContactLaw",
    "ContactResponse",
    "ContactResponses",
    "DepthLaw",
    "ExactVolumeLaw",
    "GodObject",
    "ProxyPath",
    "ProxyScene",
    "ProxyStep",
    "VoxmapLaw",
]
