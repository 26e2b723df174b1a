"""A plug-in of pytest that puts the stand-ins in the place of python-fcl and of parts of trimesh: ``pytest -p stand_ins``."""

from __future__ import annotations

import importlib
import sys

import impinge.fcl

sys.modules["fcl"] = impinge.fcl


def pytest_configure() -> None:
    """Before any test is imported, and whether or not anything is printed."""
    said = [f"fcl is {importlib.import_module('fcl').__name__}"]
    try:
        trimesh = importlib.import_module("trimesh")
    except ImportError:
        print(said[0])
        return
    import impinge.trimesh

    impinge.trimesh.install()
    box = trimesh.creation.box()
    managed = trimesh.collision.CollisionManager.__module__
    said.append(f"trimesh {trimesh.__version__}: rays by {type(box.ray).__module__}, nearest points by {type(box.nearest).__module__}, collisions by {managed}")
    if {type(box.ray).__module__, type(box.nearest).__module__, managed} != {"impinge.trimesh"}:
        raise RuntimeError("the stand-ins are not in place")
    print("; ".join(said))
