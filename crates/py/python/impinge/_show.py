"""A picture of shapes that turns with the mouse: one HTML file without any network, or an output of a notebook."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any, Iterator, Optional, Union

import numpy as np

from . import _impinge as native

#: Colours that people with any kind of colour vision tell apart.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"]


class Picture:
    """The HTML of a scene. A notebook shows it; ``save`` writes it."""

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: Union[str, Path]) -> Path:
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:480px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<Picture of {len(self.html)} characters>"


def _meshes(thing: Any, pose: np.ndarray, name: str) -> Iterator[tuple[str, native.Mesh, np.ndarray]]:
    if isinstance(thing, native.Mesh):
        yield name or "mesh", thing, pose
    elif isinstance(thing, native.Assembly):
        for k in range(len(thing)):
            part, mesh, at = thing[k]
            yield part, mesh, pose @ at
    elif isinstance(thing, native.Spheres):
        ball = native.Ball(1.0).to_mesh(detail=20)
        vertices = np.asarray(ball.vertices)
        corners = thing.centers[:, None] + thing.radii[:, None, None] * vertices[None]
        count = len(vertices)
        faces = np.asarray(ball.faces, dtype=np.int64)
        all_faces = faces[None] + count * np.arange(len(thing))[:, None, None]
        yield name or "spheres", native.Mesh(corners.reshape(-1, 3), all_faces.reshape(-1, 3)), pose
    elif isinstance(thing, native.Shape):
        if not hasattr(thing, "to_mesh"):
            raise native.Error(f"a {thing.kind} has no surface to show")
        yield name or thing.kind, thing.to_mesh(), pose
    elif hasattr(thing, "vertices") and hasattr(thing, "faces"):
        yield name or "mesh", native.Mesh(thing.vertices, thing.faces), pose
    else:
        raise native.Error(f"expected shapes, assemblies or spheres, found {type(thing).__name__}")


def show(
    *things: Any,
    points: Any = None,
    path: Union[None, str, Path] = None,
    title: str = "impinge",
) -> Picture:
    """Shows shapes, ``(shape, pose)`` pairs, assemblies, packings, and marked points.

    The result is shown by a notebook; with ``path`` it is also written as one file that needs no network.

    >>> import impinge
    >>> cube = impinge.Cuboid([1, 1, 1])
    >>> impinge.show(cube, (impinge.Ball(0.5), [1, 1, 1])).html.startswith("<!doctype html>")
    True
    """
    parts: list[tuple[str, native.Mesh, np.ndarray]] = []
    for thing in things:
        pose, name = np.eye(4), ""
        if isinstance(thing, tuple) and len(thing) == 2:
            thing, given = thing
            given = np.asarray(given, dtype=np.float64)
            pose = native.translation(given) if given.shape == (3,) else given
        parts.extend(_meshes(thing, pose, name))
    objects, low, high = [], np.full(3, np.inf), np.full(3, -np.inf)
    for number, (name, mesh, pose) in enumerate(parts):
        placed = np.asarray(mesh.vertices) @ pose[:3, :3].T + pose[:3, 3]
        if len(placed):
            low, high = np.minimum(low, placed.min(axis=0)), np.maximum(high, placed.max(axis=0))
        objects.append((name, placed, np.asarray(mesh.faces), COLORS[number % len(COLORS)]))
    marked = np.zeros((0, 3)) if points is None else np.asarray(points, dtype=np.float64).reshape(-1, 3)
    if len(marked):
        low, high = np.minimum(low, marked.min(axis=0)), np.maximum(high, marked.max(axis=0))
    center = np.where(np.isfinite(low), (low + high) / 2.0, 0.0)
    size = float(np.linalg.norm(high - low)) if np.isfinite(low).all() else 1.0
    data = {
        "size": size or 1.0,
        "points": _packed((marked - center).astype("<f4")),
        "objects": [
            {
                "name": name,
                "color": color,
                "vertices": _packed((placed - center).astype("<f4")),
                "faces": _packed(faces.astype("<u4")),
            }
            for name, placed, faces, color in objects
        ],
    }
    # A name must not end the script.
    text = json.dumps(data).replace("</", "<\\/")
    page = _PAGE.replace("@title@", html.escape(title)).replace("@data@", text)
    picture = Picture(page)
    if path is not None:
        picture.save(path)
    return picture


def _packed(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def show_live(*things: Any, server: Optional[Any] = None) -> Any:
    """Shows shapes on a ``viser`` server, which is started if none is given, and returns it."""
    import viser  # type: ignore[import-not-found,unused-ignore]

    server = viser.ViserServer() if server is None else server
    for number, thing in enumerate(things):
        pose = np.eye(4)
        if isinstance(thing, tuple) and len(thing) == 2:
            thing, given = thing
            given = np.asarray(given, dtype=np.float64)
            pose = native.translation(given) if given.shape == (3,) else given
        for name, mesh, at in _meshes(thing, pose, ""):
            placed = np.asarray(mesh.vertices) @ at[:3, :3].T + at[:3, 3]
            color = COLORS[number % len(COLORS)]
            rgb = tuple(int(color[k : k + 2], 16) for k in (1, 3, 5))
            server.scene.add_mesh_simple(
                f"/{number}/{name}", placed.astype(np.float32), np.asarray(mesh.faces), color=rgb
            )
    return server


_PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>@title@</title>
<style>html,body{margin:0;height:100%;background:#fff;font:13px sans-serif}
canvas{width:100%;height:100%;display:block;cursor:grab}
#names{position:absolute;left:8px;top:8px;max-height:90%;overflow:auto}
#names label{display:block}#names i{display:inline-block;width:10px;height:10px;margin:0 4px}</style></head>
<body><canvas id="view"></canvas><div id="names"></div>
<script id="data" type="application/json">@data@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("view");
const gl = canvas.getContext("webgl2", {antialias: true});
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const rgb = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16) / 255);
function program(vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, "#version 300 es\\nprecision highp float;\\n" + text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw gl.getShaderInfoLog(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  return made;
}
const faces = program(
  "in vec3 at; uniform mat4 view; out vec3 eye; void main() { gl_Position = view * vec4(at, 1); eye = gl_Position.xyw; }",
  "in vec3 eye; uniform vec3 color; uniform vec2 frame; out vec4 shown; void main() {" +
  " vec3 p = vec3(eye.xy * frame, -eye.z); vec3 n = normalize(cross(dFdx(p), dFdy(p)));" +
  " shown = vec4(color * (0.35 + 0.65 * abs(n.z)), 1); }");
const dots = program(
  "in vec3 at; uniform mat4 view; void main() { gl_Position = view * vec4(at, 1); gl_PointSize = 9.0; }",
  "out vec4 shown; void main() { if (length(gl_PointCoord - 0.5) > 0.5) discard; shown = vec4(0.85, 0, 0, 1); }");
function buffer(vertices, indices) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  if (indices) {
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  }
  return array;
}
for (const made of [faces, dots]) gl.bindAttribLocation(made, 0, "at"), gl.linkProgram(made);
const names = document.getElementById("names");
for (const object of data.objects) {
  const indices = new Uint32Array(bytes(object.faces));
  object.count = indices.length;
  object.array = buffer(new Float32Array(bytes(object.vertices)), indices);
  object.shown = true;
  const label = document.createElement("label"), box = document.createElement("input");
  const mark = document.createElement("i");
  box.type = "checkbox"; box.checked = true; mark.style.background = object.color;
  box.onchange = () => { object.shown = box.checked; draw(); };
  label.append(box, mark, object.name);
  names.append(label);
}
const marked = new Float32Array(bytes(data.points));
const markedArray = marked.length ? buffer(marked) : null;
let turn = 0.7, tilt = 0.5, far = data.size, shift = [0, 0];
function multiply(a, b) {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++)
    for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
function draw() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(1, 1, 1, 1); gl.enable(gl.DEPTH_TEST);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  const aspect = canvas.width / canvas.height, focal = 1.8;
  const near = Math.max(far - data.size, data.size * 1e-3), end = far + data.size;
  const [c, s, d, e] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  // The camera looks at the middle with z up.
  const look = new Float32Array([-s, -c * e, c * d, 0, c, -s * e, s * d, 0, 0, d, e, 0, shift[0], shift[1], -far, 1]);
  const lens = new Float32Array([focal / aspect, 0, 0, 0, 0, focal, 0, 0,
    0, 0, (near + end) / (near - end), -1, 0, 0, 2 * near * end / (near - end), 0]);
  const view = multiply(lens, look);
  gl.useProgram(faces);
  gl.uniformMatrix4fv(gl.getUniformLocation(faces, "view"), false, view);
  gl.uniform2f(gl.getUniformLocation(faces, "frame"), aspect / focal, 1 / focal);
  for (const object of data.objects) if (object.shown) {
    gl.uniform3fv(gl.getUniformLocation(faces, "color"), rgb(object.color));
    gl.bindVertexArray(object.array);
    gl.drawElements(gl.TRIANGLES, object.count, gl.UNSIGNED_INT, 0);
  }
  if (markedArray) {
    gl.useProgram(dots); gl.disable(gl.DEPTH_TEST);
    gl.uniformMatrix4fv(gl.getUniformLocation(dots, "view"), false, view);
    gl.bindVertexArray(markedArray);
    gl.drawArrays(gl.POINTS, 0, marked.length / 3);
  }
}
canvas.onpointermove = event => {
  if (!event.buttons) return;
  if (event.shiftKey || event.buttons > 1) {
    shift[0] += event.movementX * far / 900; shift[1] -= event.movementY * far / 900;
  } else {
    turn -= event.movementX * 0.008;
    tilt = Math.max(-1.57, Math.min(1.57, tilt + event.movementY * 0.008));
  }
  draw();
};
canvas.onwheel = event => { event.preventDefault(); far *= Math.exp(event.deltaY * 0.001); draw(); };
canvas.oncontextmenu = event => event.preventDefault();
window.onresize = draw;
draw();
</script></body></html>
"""
