// Things to see, from the arrays that the package returns.

import * as THREE from 'three';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';

export const COLOURS = { a: 0x4d8fd1, b: 0xe0a040, hit: 0xd8343c, curve: 0xffffff, witness: 0x22a06b, box: 0x7b61c9 };

/** A geometry of vertices and faces. */
export function geometry(vertices, faces, smooth = true) {
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(vertices), 3));
  g.setIndex(new THREE.BufferAttribute(new Uint32Array(faces), 1));
  const out = smooth ? g : g.toNonIndexed();
  out.computeVertexNormals();
  return out;
}

/** A solid to look at: `mesh` is a Mesh of the package. */
export function solid(mesh, colour, { opacity = 1, smooth = true, wire = false } = {}) {
  const material = new THREE.MeshStandardMaterial({
    color: colour, roughness: 0.65, metalness: 0.05, side: THREE.DoubleSide, flatShading: !smooth,
    transparent: opacity < 1, opacity, depthWrite: opacity >= 1, wireframe: wire,
  });
  return new THREE.Mesh(geometry(mesh.vertices, mesh.faces), material);
}

/** Some faces of a mesh, over everything else in their place. */
export function faces(vertices, triangles, numbers, colour) {
  const points = new Float32Array(numbers.length * 9);
  numbers.forEach((face, i) => {
    for (let k = 0; k < 3; k++) {
      const v = triangles[face * 3 + k] * 3;
      points.set([vertices[v], vertices[v + 1], vertices[v + 2]], i * 9 + k * 3);
    }
  });
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(points, 3));
  const material = new THREE.MeshBasicMaterial({
    color: colour, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2,
  });
  return new THREE.Mesh(g, material);
}

/** Thick line segments: pairs of points, three numbers each. */
export function segments(points, colour, width = 2, onTop = false) {
  const g = new LineSegmentsGeometry();
  g.setPositions(points.length ? Float32Array.from(points) : new Float32Array(6));
  const material = new LineMaterial({ color: colour, linewidth: width, depthTest: !onTop, transparent: onTop });
  const lines = new LineSegments2(g, material);
  lines.renderOrder = onTop ? 2 : 0;
  return lines;
}

/** A polyline of the package's curves as segments. */
export function curve({ points, closed }) {
  const out = [];
  const n = points.length / 3;
  for (let i = 0; i + (closed ? 0 : 1) < n; i++) {
    const j = (i + 1) % n;
    out.push(points[3 * i], points[3 * i + 1], points[3 * i + 2], points[3 * j], points[3 * j + 1], points[3 * j + 2]);
  }
  return out;
}

const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/** The edges of boxes given by corners, 24 numbers each. */
export function boxes(corners, colour) {
  const count = corners.length / 24;
  const points = new Float32Array(count * 72);
  for (let b = 0; b < count; b++) {
    EDGES.forEach((corner, i) => {
      const from = b * 24 + corner * 3;
      points.set([corners[from], corners[from + 1], corners[from + 2]], b * 72 + i * 3);
    });
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(points, 3));
  return new THREE.LineSegments(g, new THREE.LineBasicMaterial({ color: colour }));
}

/** Points as small balls. */
export function dots(points, colour, radius = 0.03) {
  const centers = points;
  return spheres({ centers, radii: new Float64Array(points.length / 3).fill(radius) }, colour, { detail: radius > 0.04 ? 4 : 1 });
}

const palette = (i) => new THREE.Color().setHSL((i * 0.61803) % 1, 0.55, 0.55);

/** Spheres: `colour` is one colour, or 'each' for many. */
export function spheres({ centers, radii }, colour, { opacity = 1, detail = 2 } = {}) {
  const material = new THREE.MeshStandardMaterial({
    color: colour === 'each' ? 0xffffff : colour, roughness: 0.6, transparent: opacity < 1, opacity, depthWrite: opacity >= 1,
  });
  const all = new THREE.InstancedMesh(new THREE.IcosahedronGeometry(1, detail), material, radii.length);
  const m = new THREE.Matrix4();
  for (let i = 0; i < radii.length; i++) {
    const r = radii[i];
    m.makeScale(r, r, r).setPosition(centers[3 * i], centers[3 * i + 1], centers[3 * i + 2]);
    all.setMatrixAt(i, m);
    if (colour === 'each') all.setColorAt(i, palette(i));
  }
  all.frustumCulled = false;
  return all;
}

/** An arrow from a point along a vector. */
export function arrow(from, vector, colour) {
  const length = Math.hypot(...vector);
  const direction = new THREE.Vector3(...vector).normalize();
  const head = [Math.min(0.25, length * 0.4), Math.min(0.14, length * 0.25)];
  return new THREE.ArrowHelper(direction, new THREE.Vector3(...from), length, colour, ...head);
}

/** An arrow that is seen from far away: a shaft of a radius, and a head. */
export function thickArrow(from, vector, colour, { radius = 0.025, onTop = false } = {}) {
  const length = Math.hypot(...vector);
  const head = Math.min(5 * radius, length / 2);
  const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.6, depthTest: !onTop, transparent: onTop });
  const rod = new THREE.CylinderGeometry(radius, radius, length - head, 16).translate(0, (length - head) / 2, 0);
  const shaft = new THREE.Mesh(rod, material);
  const tip = new THREE.Mesh(new THREE.ConeGeometry(2.4 * radius, head, 20).translate(0, length - head / 2, 0), material);
  const all = new THREE.Group().add(shaft, tip);
  for (const part of all.children) part.renderOrder = onTop ? 2 : 0;
  all.position.set(...from);
  all.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...vector).normalize());
  return all;
}

/** Words in the scene, over everything else; `height` is that of a line. */
export function label(text, colour, height = 0.09) {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  const font = '600 44px system-ui, sans-serif';
  pen.font = font;
  canvas.width = Math.ceil(pen.measureText(text).width) + 28;
  canvas.height = 64;
  pen.font = font;
  pen.fillStyle = '#ffffffe0';
  pen.beginPath();
  pen.roundRect(0, 0, canvas.width, 64, 14);
  pen.fill();
  pen.fillStyle = colour;
  pen.fillText(text, 14, 48);
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = THREE.SRGBColorSpace;
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map, depthTest: false }));
  sprite.scale.set((height * canvas.width) / 64, height, 1);
  sprite.renderOrder = 3;
  // The hand reaches through it.
  sprite.raycast = () => {};
  return sprite;
}

/** Frees what a group holds and empties it. */
export function clear(group) {
  group.traverse((child) => {
    child.geometry?.dispose();
    child.material?.dispose?.();
  });
  group.clear();
}
