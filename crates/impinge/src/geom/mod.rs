//! Facts about a few primitives: triangles, segments, rays, boxes and balls.
