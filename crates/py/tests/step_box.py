"""The text of a STEP file with one box, in millimetres."""

from __future__ import annotations

from itertools import product


def step_box(x: float, y: float, z: float) -> str:
    lines: list[str] = []

    def add(text: str) -> str:
        lines.append(text)
        return f"#{len(lines)}"

    def real(value: float) -> str:
        text = repr(float(value))
        return text if "." in text else f"{text}."

    def point(p: tuple[float, ...]) -> str:
        return add(f"CARTESIAN_POINT('',({','.join(map(real, p))}))")

    def direction(d: tuple[float, ...]) -> str:
        return add(f"DIRECTION('',({','.join(map(real, d))}))")

    size = (x, y, z)
    corners = {c: tuple(s * k for s, k in zip(size, c)) for c in product((0, 1), repeat=3)}
    points = {c: point(p) for c, p in corners.items()}
    vertices = {c: add(f"VERTEX_POINT('',{points[c]})") for c in corners}
    edges = {}
    for c in corners:
        for axis in range(3):
            if c[axis] == 0:
                end = tuple(1 if k == axis else v for k, v in enumerate(c))
                along = direction(tuple(float(k == axis) for k in range(3)))
                vector = add(f"VECTOR('',{along},1.)")
                line = add(f"LINE('',{points[c]},{vector})")
                edges[c, end] = add(f"EDGE_CURVE('',{vertices[c]},{vertices[end]},{line},.T.)")
    faces = []
    for axis, side in product(range(3), (0, 1)):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
        if side == 0:
            ring.reverse()
        loop = []
        for a, b in ring:
            corner = [0, 0, 0]
            corner[axis], corner[u], corner[v] = side, a, b
            loop.append(tuple(corner))
        uses = []
        for start, end in zip(loop, loop[1:] + loop[:1]):
            forward = (start, end) in edges
            edge = edges[start, end] if forward else edges[end, start]
            uses.append(add(f"ORIENTED_EDGE('',*,*,{edge},.{'T' if forward else 'F'}.)"))
        ring_edges = add(f"EDGE_LOOP('',({','.join(uses)}))")
        bound = add(f"FACE_OUTER_BOUND('',{ring_edges},.T.)")
        normal = direction(tuple((1.0 if side else -1.0) * (k == axis) for k in range(3)))
        across = direction(tuple(float(k == u) for k in range(3)))
        frame = add(f"AXIS2_PLACEMENT_3D('',{points[loop[0]]},{normal},{across})")
        plane = add(f"PLANE('',{frame})")
        faces.append(add(f"ADVANCED_FACE('',({bound}),{plane},.T.)"))
    shell = add(f"CLOSED_SHELL('',({','.join(faces)}))")
    solid = add(f"MANIFOLD_SOLID_BREP('box',{shell})")
    length = add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
    angle = add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
    solid_angle = add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
    blur = add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-7),{length},'distance_accuracy_value','')")
    context = add(
        "(GEOMETRIC_REPRESENTATION_CONTEXT(3)"
        f"GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({blur}))"
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid_angle}))REPRESENTATION_CONTEXT('',''))"
    )
    origin = add(f"AXIS2_PLACEMENT_3D('',{point((0, 0, 0))},{direction((0, 0, 1))},{direction((1, 0, 0))})")
    shape = add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({origin},{solid}),{context})")
    application = add("APPLICATION_CONTEXT('core data for automotive mechanical design processes')")
    product_context = add(f"PRODUCT_CONTEXT('',{application},'mechanical')")
    part = add(f"PRODUCT('box','box','',({product_context}))")
    formation = add(f"PRODUCT_DEFINITION_FORMATION('','',{part})")
    definition_context = add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{application},'design')")
    definition = add(f"PRODUCT_DEFINITION('design','',{formation},{definition_context})")
    property_ = add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
    add(f"SHAPE_DEFINITION_REPRESENTATION({property_},{shape})")
    body = "\n".join(f"#{k}={line};" for k, line in enumerate(lines, 1))
    return (
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('box','',(''),(''),'','','');\n"
        f"FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n{body}\nENDSEC;\nEND-ISO-10303-21;\n"
    )
