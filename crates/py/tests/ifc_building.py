"""A building of many storeys as an IFC file, with planned mistakes and nothing else that touches.

``python tests/ifc_building.py building.ifc [STOREYS]`` writes one; a storey has 242 elements. Each storey has 8 mistakes: a pipe through
five walls, a column that stands 20 mm deep in a beam and in a wall, and a wall that is there twice.
"""

from __future__ import annotations

import sys
import uuid
from typing import Any

BAYS, BAY, HEIGHT = 6, 6.0, 3.0
MISTAKES_PER_STOREY = 8


def building(storeys: int) -> tuple[Any, dict[frozenset[str], str]]:
    """The file, and the kind of clash of every pair of GUIDs that was planned."""
    import ifcopenshell
    import ifcopenshell.guid

    file = ifcopenshell.file(schema="IFC4")

    def guid(name: str) -> str:
        # The same building has the same GUIDs.
        return ifcopenshell.guid.compress(uuid.uuid5(uuid.NAMESPACE_OID, name).hex)

    def point(*at: float) -> Any:
        return file.createIfcCartesianPoint(tuple(float(x) for x in at))

    world = file.createIfcAxis2Placement3D(point(0, 0, 0))
    context = file.createIfcGeometricRepresentationContext(None, "Model", 3, 1e-5, world, None)
    units = file.createIfcUnitAssignment([file.createIfcSIUnit(None, "LENGTHUNIT", None, "METRE")])
    project = file.createIfcProject(guid("project"), None, "tower", None, None, None, None, [context], units)
    up, along_y = file.createIfcDirection((0.0, 0.0, 1.0)), file.createIfcDirection((0.0, 1.0, 0.0))
    along_x = file.createIfcDirection((1.0, 0.0, 0.0))
    flat = file.createIfcAxis2Placement2D(point(0, 0), None)
    centre = file.createIfcLocalPlacement(None, world)
    whole = file.createIfcBuilding(guid("building"), None, "tower", None, None, centre, None, None, "ELEMENT")
    file.createIfcRelAggregates(guid("site"), None, None, None, project, [whole])

    def block(x: float, y: float, z: float) -> Any:
        """A box about the axis z, from its foot on."""
        profile = file.createIfcRectangleProfileDef("AREA", None, flat, x, y)
        return file.createIfcExtrudedAreaSolid(profile, world, up, z)

    span = BAYS * BAY - 1.0
    tube = file.createIfcExtrudedAreaSolid(
        file.createIfcCircleProfileDef("AREA", None, flat, 0.05),
        file.createIfcAxis2Placement3D(point(0, 0, 0), along_y, along_x),
        up,
        span,
    )
    solids = {
        "IfcColumn": block(0.4, 0.4, 2.69),
        "IfcBeam x": block(5.5, 0.3, 0.3),
        "IfcBeam y": block(0.3, 5.5, 0.3),
        "IfcSlab": block(5.98, 5.98, 0.2),
        "IfcWall": block(5.5, 0.2, 2.28),
        "IfcFlowSegment": tube,
    }
    planned: dict[frozenset[str], str] = {}
    for storey in range(storeys):
        floor = storey * HEIGHT
        made: list[Any] = []

        def element(kind: str, name: str, x: float, y: float, z: float) -> str:
            body = file.createIfcShapeRepresentation(context, "Body", "SweptSolid", [solids[kind]])  # noqa: B023
            shape = file.createIfcProductDefinitionShape(None, None, [body])
            at = file.createIfcAxis2Placement3D(point(x, y, floor + z))  # noqa: B023
            local = file.createIfcLocalPlacement(None, at)
            full = f"{name} on storey {storey}"  # noqa: B023
            create = getattr(file, f"create{kind.split()[0]}")
            made.append(create(guid(full), None, full, None, None, local, shape))  # noqa: B023
            return made[-1].GlobalId  # noqa: B023

        walls, beams = {}, {}
        for i in range(BAYS + 1):
            for j in range(BAYS + 1):
                # One column stands too far along x: 50 mm are free, it takes 70.
                aside = 0.07 if (i, j) == (3, 3) else 0.0
                column = element("IfcColumn", f"column {i} {j}", BAY * i + aside, BAY * j, 0.0)
                if aside > 0.0:
                    wrong = column
        for i in range(BAYS):
            for j in range(BAYS + 1):
                middle = BAY * (i + 0.5)
                beams[i, j] = element("IfcBeam x", f"beam x {i} {j}", middle, BAY * j, 2.3)
                element("IfcBeam y", f"beam y {i} {j}", BAY * j, middle, 2.3)
                walls[i, j] = element("IfcWall", f"wall {i} {j}", middle, BAY * j, 0.01)
            for j in range(BAYS):
                element("IfcSlab", f"slab {i} {j}", BAY * (i + 0.5), BAY * (j + 0.5), 2.75)
            for k in range(5):
                low = (i, k) == (1, 1)
                pipe = element("IfcFlowSegment", f"pipe {i} {k}", BAY * i + k + 1, 0.5, 1.5 if low else 2.675)
                if low:
                    through = pipe
        again = element("IfcWall", "wall 0 0 again", BAY * 0.5, 0.0, 0.01)
        for j in range(1, BAYS):
            planned[frozenset((through, walls[1, j]))] = "crossing"
        planned[frozenset((wrong, walls[3, 3]))] = "crossing"
        planned[frozenset((wrong, beams[3, 3]))] = "crossing"
        planned[frozenset((again, walls[0, 0]))] = "duplicate"
        place = file.createIfcLocalPlacement(None, file.createIfcAxis2Placement3D(point(0, 0, floor)))
        level = file.createIfcBuildingStorey(
            guid(f"storey {storey}"), None, f"storey {storey}", None, None, place, None, None, "ELEMENT", floor
        )
        file.createIfcRelAggregates(guid(f"levels {storey}"), None, None, None, whole, [level])
        file.createIfcRelContainedInSpatialStructure(guid(f"in {storey}"), None, None, None, made, level)
    return file, planned


if __name__ == "__main__":
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    model, mistakes = building(count)
    model.write(sys.argv[1])
    print(f"{len(model.by_type('IfcElement'))} elements, {len(mistakes)} planned clashes")
