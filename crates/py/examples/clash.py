"""Which parts of an assembly collide."""

import impinge

cube = impinge.Cuboid([1.0, 1.0, 1.0]).to_mesh()
parts = impinge.Assembly(
    [("base", cube), ("lid", cube, [0.0, 0.0, 1.9]), ("leg", cube, [0.0, 0.0, -2.05])]
)
for clash in parts.clashes(clearance=0.1):
    depth = "" if clash.depth is None else f", at least {clash.depth[0]:.3f} deep"
    print(f"{clash.name_a} and {clash.name_b}: {clash.kind}{depth}")
kinds = [clash.kind for clash in parts.clashes(clearance=0.1)]
assert kinds == ["crossing", "clearance"]
