"""Judges answers without the library: every face, in floating point with an error bound, then in rational numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Optional

import numpy as np

#: Rounding of a determinant of three differences, in units of its largest possible value; generous.
ROUNDING = 1e-13


def _exact(v: np.ndarray) -> list[Fraction]:
    return [Fraction(float(x)) for x in v]


def _minus(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    return [x - y for x, y in zip(a, b)]


def _det(a: list[Fraction], b: list[Fraction], c: list[Fraction]) -> Fraction:
    return (
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def _exact_hit(origin: np.ndarray, direction: np.ndarray, triangle: np.ndarray) -> Optional[Fraction]:
    """Where the ray meets the triangle, border included; none for a miss and for a triangle that is seen edge-on."""
    o, d = _exact(origin), _exact(direction)
    v = [_minus(_exact(corner), o) for corner in triangle]
    sides = [_det(v[1], v[2], d), _det(v[2], v[0], d), _det(v[0], v[1], d)]
    total = sum(sides)
    if total == 0 or min(sides) < 0 < max(sides):
        return None
    t: Fraction = _det(v[0], v[1], v[2]) / total
    return t if t >= 0 else None


def first_hit(triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> float:
    """The place of the first hit of a ray among all faces, infinite without one."""
    v = triangles - origin
    size = np.abs(v).max() ** 2 * np.abs(direction).max()
    sides = np.stack(
        [np.cross(v[:, (k + 1) % 3], v[:, (k + 2) % 3]) @ direction for k in range(3)], axis=1
    )
    spare = 6 * ROUNDING * size
    near = np.flatnonzero(~((sides.min(axis=1) < -spare) & (sides.max(axis=1) > spare)))
    hits = (_exact_hit(origin, direction, triangles[k]) for k in near)
    return min((float(t) for t in hits if t is not None), default=np.inf)


def winds(triangles: np.ndarray, point: np.ndarray) -> float:
    """How often the faces wind around a point: the sum of their solid angles."""
    a, b, c = (triangles[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = [np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a))]
    below = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
    return float(np.arctan2(above, below).sum() / (2 * np.pi))


def distance(triangles: np.ndarray, point: np.ndarray) -> float:
    """The distance of a point from all faces: of corners, of feet on edges, and of feet within faces."""
    v = triangles - point
    best = np.einsum("ijk,ijk->ij", v, v).min()
    for k in range(3):
        a, e = v[:, k], v[:, (k + 1) % 3] - v[:, k]
        t = np.clip(-np.einsum("ij,ij->i", a, e) / np.maximum(np.einsum("ij,ij->i", e, e), 1e-300), 0, 1)
        foot = a + t[:, None] * e
        best = min(best, np.einsum("ij,ij->i", foot, foot).min())
    n = np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0])
    sides = np.stack([np.einsum("ij,ij->i", np.cross(v[:, k], v[:, (k + 1) % 3]), n) for k in range(3)], axis=1)
    within = sides.min(axis=1) > 0
    if within.any():
        n, a = n[within], v[within, 0]
        height = np.einsum("ij,ij->i", a, n) ** 2 / np.einsum("ij,ij->i", n, n)
        best = min(best, height.min())
    return float(np.sqrt(best))
