"""STEP files through Cascadio: ``pip install impinge[step]``.

Curved faces are tessellated; ``tolerance`` is the largest distance of the triangles from them, in the file's unit.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Union

from . import _impinge as native

__all__ = ["open"]


def open(  # noqa: A001
    path: Union[str, Path], *, tolerance: float = 0.01, angle: float = 0.5
) -> native.Assembly:
    """The parts of a STEP file, in metres: the converter writes glTF, whose unit is the metre."""
    import cascadio

    path = Path(path)
    if not path.is_file():
        raise native.Error(f"{path}: there is no such file")
    if not tolerance > 0.0:
        raise native.Error(f"tolerance must be positive, found {tolerance}")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "model.glb"
        cascadio.step_to_glb(str(path), str(made), tol_linear=tolerance, tol_angular=angle)
        if not made.is_file() or made.stat().st_size == 0:
            raise native.Error(f"{path}: the converter made nothing of it")
        assembly = native.Assembly.open(made)
    # The converter repeats vertices along the edges of faces.
    parts = [(name, mesh.welded(1e-9), pose) for name, mesh, pose in (assembly[k] for k in range(len(assembly)))]
    return native.Assembly(parts)
