// The scene: camera, light, orbit by mouse, touch and keyboard, drawn when something changed.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

THREE.Object3D.DEFAULT_UP.set(0, 0, 1);

export function view(element, { eye = [4, -6, 4], target = [0, 0, 0] } = {}) {
  const renderer = new THREE.WebGLRenderer({ antialias: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  element.prepend(renderer.domElement);
  const scene = new THREE.Scene();
  const camera = new THREE.PerspectiveCamera(45, 1, 0.01, 1000);
  camera.position.set(...eye);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x8d99a6, 1.6));
  const sun = new THREE.DirectionalLight(0xffffff, 1.7);
  sun.position.set(3, -4, 8);
  scene.add(sun);

  const controls = new OrbitControls(camera, renderer.domElement);
  controls.target.set(...target);
  controls.update();
  const canvas = renderer.domElement;
  canvas.tabIndex = 0;
  canvas.setAttribute('aria-label', 'Scene: drag to turn, wheel or pinch to zoom, keys + - and A D W X to turn');

  let wanted = true;
  let every = null;
  const invalidate = () => { wanted = true; };
  controls.addEventListener('change', invalidate);

  const resize = () => {
    const { clientWidth: w, clientHeight: h } = element;
    if (!w || !h) return;
    renderer.setSize(w, h, false);
    camera.aspect = w / h;
    camera.updateProjectionMatrix();
    wanted = true;
  };
  new ResizeObserver(resize).observe(element);
  resize();

  const turn = (around, up) => {
    const away = camera.position.clone().sub(controls.target);
    const at = new THREE.Spherical().setFromVector3(new THREE.Vector3(away.x, away.z, -away.y));
    at.theta += around;
    at.phi = Math.min(Math.PI - 0.05, Math.max(0.05, at.phi + up));
    const v = new THREE.Vector3().setFromSpherical(at);
    camera.position.copy(controls.target).add(new THREE.Vector3(v.x, -v.z, v.y));
    controls.update();
    wanted = true;
  };
  const zoom = (factor) => {
    camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
    controls.update();
    wanted = true;
  };
  const keys = {
    a: () => turn(-0.1, 0), d: () => turn(0.1, 0), w: () => turn(0, -0.1), x: () => turn(0, 0.1),
    '+': () => zoom(0.9), '=': () => zoom(0.9), '-': () => zoom(1.1),
  };
  addEventListener('keydown', (event) => {
    if (event.target.matches?.('input, select') || event.ctrlKey || event.metaKey) return;
    keys[event.key]?.();
  });

  const paint = () => {
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--scene').trim();
    scene.background = new THREE.Color(colour);
    wanted = true;
  };
  paint();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);

  let first;
  const drawn = new Promise((resolve) => { first = resolve; });
  let last = performance.now();
  // Milliseconds of each picture: since the one before, of our own work, and of drawing. `web/bench/frames.mjs` reads them.
  const frames = [];
  let pictureAt = last;
  window.pictures = () => frames;
  renderer.setAnimationLoop((now) => {
    const seconds = Math.min((now - last) / 1000, 0.1);
    last = now;
    const begin = performance.now();
    if (every?.(seconds)) wanted = true;
    const drawing = performance.now();
    if (!wanted) return;
    wanted = false;
    renderer.render(scene, camera);
    const end = performance.now();
    frames.push({ since: end - pictureAt, own: drawing - begin, draw: end - drawing });
    if (frames.length > 600) frames.shift();
    pictureAt = end;
    first();
  });
  return {
    scene, camera, controls, renderer, canvas, drawn, invalidate, paint,
    /** Runs before each picture; the picture is drawn when it returns true. */
    animate: (step) => { every = step; },
    /** Looks at everything in a box of two corners. */
    look: (low, high) => {
      const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
      const middle = low.map((x, i) => (x + high[i]) / 2);
      const away = camera.position.clone().sub(controls.target).normalize().multiplyScalar(size * 1.25);
      controls.target.set(...middle);
      camera.position.copy(controls.target).add(away);
      controls.update();
      wanted = true;
    },
  };
}
