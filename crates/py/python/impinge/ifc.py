"""IFC models through IfcOpenShell: ``pip install impinge[ifc]``.

``open`` reads the triangles of every element that has a shape, with its GUID; ``clashes_json`` and ``save_bcf`` write results in the
forms that IfcClash and BIM tools read.
"""

from __future__ import annotations

import datetime
import json
import uuid
import zipfile
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence, Union
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from . import _impinge as native

__all__ = ["Element", "Model", "clashes_json", "open", "save_bcf"]

_TYPES = {
    "duplicate": "collision",
    "crossing": "protrusion",
    "contained": "pierce",
    "touching": "collision",
    "clearance": "clearance",
}


class Element:
    """What an IFC file says of an element."""

    def __init__(self, guid: str, name: str, kind: str) -> None:
        self.guid, self.name, self.kind = guid, name, kind

    def __repr__(self) -> str:
        return f"Element({self.guid!r}, {self.name!r}, {self.kind!r})"


class Model:
    """Elements and the assembly of their meshes, whose parts are named by GUID and in the same order."""

    def __init__(self, elements: Sequence[Element], assembly: native.Assembly, refused: list[str]) -> None:
        self.elements, self.assembly, self.refused = list(elements), assembly, refused

    def clashes(self, **options: Any) -> list[native.Clash]:
        """As ``Assembly.clashes``."""
        return self.assembly.clashes(**options)

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return f"<Model of {len(self.elements)} elements>"


def open(  # noqa: A001
    path: Union[str, Path], *, selector: Optional[str] = None, threads: int = 1, weld: float = 1e-9
) -> Model:
    """The elements of an IFC file, or of an open ``ifcopenshell.file``, in metres. ``selector`` is IfcOpenShell's query, as in ``IfcWall``.

    An element whose triangles cannot be made is named in ``refused``, and the rest is read.
    """
    import ifcopenshell
    import ifcopenshell.geom
    import ifcopenshell.util.selector

    file = path if isinstance(path, ifcopenshell.file) else ifcopenshell.open(str(path))
    settings = ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    wanted = None
    if selector is not None:
        wanted = list(ifcopenshell.util.selector.filter_elements(file, selector))
        if not wanted:
            return Model([], native.Assembly([]), [])
    options = {} if wanted is None else {"include": wanted}
    iterator = ifcopenshell.geom.iterator(settings, file, threads, **options)
    elements, parts, refused = [], [], []
    found = iterator.initialize()
    while found:
        shape = iterator.get()
        element = Element(shape.guid, shape.name or "", shape.type)
        vertices = np.array(shape.geometry.verts, dtype=np.float64).reshape(-1, 3)
        faces = np.array(shape.geometry.faces, dtype=np.int64).reshape(-1, 3)
        try:
            mesh = native.Mesh(vertices, faces).welded(weld)
        except native.Error as why:
            refused.append(f"{shape.guid}: {why}")
        else:
            elements.append(element)
            parts.append((shape.guid, mesh))
        found = iterator.next()
    order = sorted(range(len(elements)), key=lambda k: elements[k].guid)
    assembly = native.Assembly([parts[k] for k in order])
    return Model([elements[k] for k in order], assembly, refused)


def clashes_json(model: Model, clashes: Iterable[native.Clash], *, name: str = "impinge") -> str:
    """The clashes as IfcClash writes them: one set, clashes by the two GUIDs, with the depth beside."""
    found = {}
    for clash in clashes:
        a, b = model.elements[clash.a], model.elements[clash.b]
        found[f"{a.guid}-{b.guid}"] = {
            "a_global_id": a.guid,
            "b_global_id": b.guid,
            "a_ifc_class": a.kind,
            "b_ifc_class": b.kind,
            "a_name": a.name,
            "b_name": b.name,
            "type": _TYPES[clash.kind],
            "kind": clash.kind,
            "p1": clash.point_a.tolist(),
            "p2": clash.point_b.tolist(),
            "distance": clash.distance if clash.depth is None else -clash.depth[0],
            "depth": None if clash.depth is None else list(clash.depth),
        }
    return json.dumps([{"name": name, "mode": "intersection", "a": [], "b": [], "clashes": found}], indent=1)


def save_bcf(
    model: Model,
    clashes: Iterable[native.Clash],
    path: Union[str, Path],
    *,
    author: str = "impinge",
    date: Optional[datetime.datetime] = None,
) -> int:
    """Writes a BCF 2.1 file with one topic for each clash, and returns their number."""
    when = (date or datetime.datetime.now(datetime.timezone.utc)).isoformat(timespec="seconds")
    # GUIDs follow from the elements: the same clash has the same topic in every run.
    space = uuid.UUID("8d1d5c0e-6a53-5a0a-9a35-2a8a2d1f9a61")
    count = 0
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bcf.version", _VERSION)
        for clash in clashes:
            a, b = model.elements[clash.a], model.elements[clash.b]
            topic = uuid.uuid5(space, f"{a.guid} {b.guid}")
            view = uuid.uuid5(space, f"view {a.guid} {b.guid}")
            title = f"{clash.kind}: {a.kind} {a.name} and {b.kind} {b.name}"
            depth = "" if clash.depth is None else f", at least {clash.depth[0]:.6g} m deep"
            archive.writestr(
                f"{topic}/markup.bcf",
                _MARKUP.format(
                    topic=topic,
                    view=view,
                    title=escape(title),
                    date=when,
                    author=escape(author),
                    text=escape(f"{clash.kind}{depth}"),
                ),
            )
            archive.writestr(f"{topic}/viewpoint.bcfv", _viewpoint(view, a.guid, b.guid, clash))
            count += 1
    return count


def _viewpoint(view: uuid.UUID, a: str, b: str, clash: native.Clash) -> str:
    middle = (clash.point_a + clash.point_b) / 2.0
    eye = middle + np.array([3.0, -3.0, 3.0])
    look = (middle - eye) / np.linalg.norm(middle - eye)
    up = np.array([0.0, 0.0, 1.0]) - look[2] * look
    up /= np.linalg.norm(up)

    def xyz(tag: str, v: np.ndarray) -> str:
        x, y, z = (float(value) for value in v)
        return f"<{tag}><X>{x!r}</X><Y>{y!r}</Y><Z>{z!r}</Z></{tag}>"

    chosen = "".join(f"<Component IfcGuid={quoteattr(guid)} />" for guid in (a, b))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<VisualizationInfo Guid="{view}"><Components>'
        f'<Selection>{chosen}</Selection><Visibility DefaultVisibility="true" /></Components>'
        f"<PerspectiveCamera>{xyz('CameraViewPoint', eye)}{xyz('CameraDirection', look)}"
        f"{xyz('CameraUpVector', up)}<FieldOfView>60</FieldOfView></PerspectiveCamera></VisualizationInfo>\n"
    )


_VERSION = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Version VersionId="2.1"><DetailedVersion>2.1</DetailedVersion></Version>\n'
)

_MARKUP = """<?xml version="1.0" encoding="UTF-8"?>
<Markup><Topic Guid="{topic}" TopicType="Clash" TopicStatus="Open"><Title>{title}</Title>\
<CreationDate>{date}</CreationDate><CreationAuthor>{author}</CreationAuthor>\
<Description>{text}</Description></Topic>\
<Viewpoints Guid="{view}"><Viewpoint>viewpoint.bcfv</Viewpoint></Viewpoints></Markup>
"""
