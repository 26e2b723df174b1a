// Moving an object by mouse, touch and keyboard; clicks.

import * as THREE from 'three';

const STEP = 0.05;

/** Sends the ray from the eye through the place of an event. */
function aimed({ camera, canvas }, ray, event) {
  const box = canvas.getBoundingClientRect();
  const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  ray.setFromCamera(new THREE.Vector2(2 * x - 1, 1 - 2 * y), camera);
}

/** Runs `clicked` with the ray through the place of each click; a drag turns the camera and is none. */
export function clickable(view, clicked) {
  const ray = new THREE.Raycaster();
  let down = null;
  view.canvas.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
  view.canvas.addEventListener('click', (event) => {
    if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 5) return;
    aimed(view, ray, event);
    clicked(ray);
  });
}

/**
 * Lets the user move `object` in the plane of the screen, or turn it with the right button or the keys Q and E.
 * Arrow keys move it, with Shift along the line of sight. `moved` runs after each change.
 */
export function draggable(view, object, moved) {
  const { camera, canvas, controls } = view;
  const ray = new THREE.Raycaster();
  const plane = new THREE.Plane();
  const hit = new THREE.Vector3();
  let offset = null;
  let turning = null;

  const aim = (event) => aimed(view, ray, event);
  const changed = () => {
    object.updateMatrixWorld();
    view.invalidate();
    moved();
  };
  canvas.addEventListener('pointerdown', (event) => {
    aim(event);
    if (!ray.intersectObject(object, true).length) return;
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    if (event.button === 2) {
      turning = [event.clientX, event.clientY];
      return;
    }
    plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(hit), object.position);
    ray.ray.intersectPlane(plane, hit);
    offset = object.position.clone().sub(hit);
  }, { capture: true });
  canvas.addEventListener('pointermove', (event) => {
    if (turning) {
      const [x, y] = turning;
      turning = [event.clientX, event.clientY];
      const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
      object.rotateOnWorldAxis(new THREE.Vector3(0, 0, 1), (event.clientX - x) * 0.01);
      object.rotateOnWorldAxis(right, (event.clientY - y) * 0.01);
      changed();
    } else if (offset) {
      aim(event);
      if (ray.ray.intersectPlane(plane, hit)) {
        object.position.copy(hit).add(offset);
        changed();
      }
    }
  });
  const release = () => {
    offset = null;
    turning = null;
    controls.enabled = true;
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());

  addEventListener('keydown', (event) => {
    if (event.target.matches?.('input, select') || event.ctrlKey || event.metaKey) return;
    const axis = (k) => new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, k);
    const moves = {
      ArrowRight: () => axis(0).multiplyScalar(STEP), ArrowLeft: () => axis(0).multiplyScalar(-STEP),
      ArrowUp: () => axis(event.shiftKey ? 2 : 1).multiplyScalar(event.shiftKey ? -STEP : STEP),
      ArrowDown: () => axis(event.shiftKey ? 2 : 1).multiplyScalar(event.shiftKey ? STEP : -STEP),
    };
    const turn = { q: STEP, e: -STEP }[event.key];
    if (moves[event.key]) object.position.add(moves[event.key]());
    else if (turn) object.rotateOnWorldAxis(new THREE.Vector3(0, 0, 1), turn);
    else return;
    event.preventDefault();
    changed();
  });
}

/** The pose of an object as seven numbers, for the state; and back. */
export const poseOf = (object) => [...object.position.toArray(), ...object.quaternion.toArray()];
export const setPose = (object, pose) => {
  object.position.fromArray(pose);
  if (pose.length === 7) object.quaternion.fromArray(pose, 3);
  object.updateMatrixWorld();
};
