//! Result types: objects with numbers for one query, objects with arrays for many.

use impinge::convex::ConvexPenetration;
use impinge::glam::DVec3;
use impinge::pair::{ContactPoint, Manifold};
use impinge::query::{self, Bounded, Separation};
use impinge::volume::OverlapVolume;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::{out_points, out_rows};

/// A class with plain fields and points; it prints well and is pickled. A module other than
/// `impinge` stands before its name.
macro_rules! answer {
    (
        $(#[$doc:meta])*
        $name:ident { $($fields:tt)* }
    ) => {
        $crate::answers::answer!($(#[$doc])* "impinge" $name { $($fields)* });
    };
    (
        $(#[$doc:meta])*
        $module:literal $name:ident { $($(#[$pdoc:meta])* $plain:ident: $of:ty),* ; $($(#[$vdoc:meta])* $point:ident),* }
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, module = $module)]
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[$pdoc])* #[pyo3(get)] pub $plain: $of,)*
            $($(#[$vdoc])* pub $point: ::impinge::DVec3,)*
        }

        #[pymethods]
        impl $name {
            #[new]
            fn new($($plain: $of,)* $($point: &Bound<'_, PyAny>,)*) -> PyResult<Self> {
                Ok(Self { $($plain,)* $($point: $crate::arrays::vector($point, stringify!($point))?,)* })
            }

            $(
                $(#[$vdoc])*
                #[getter]
                fn $point<'py>(&self, py: Python<'py>) -> Bound<'py, ::numpy::PyArray1<f64>> {
                    $crate::arrays::out_vector(py, self.$point)
                }
            )*

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> PyResult<(Bound<'py, ::pyo3::types::PyType>, Bound<'py, ::pyo3::types::PyTuple>)> {
                let py = slf.py();
                let values: Vec<Bound<'py, PyAny>> = vec![
                    $(slf.getattr(stringify!($plain))?,)*
                    $($crate::arrays::out_vector(py, slf.get().$point).into_any(),)*
                ];
                Ok((slf.get_type(), ::pyo3::types::PyTuple::new(py, values)?))
            }

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                let mut fields: Vec<String> = Vec::new();
                $(fields.push(format!("{}={}", stringify!($plain), slf.getattr(stringify!($plain))?.repr()?));)*
                $({
                    let p = slf.get().$point;
                    fields.push(format!("{}=[{:?}, {:?}, {:?}]", stringify!($point), p.x, p.y, p.z));
                })*
                Ok(format!("{}({})", stringify!($name), fields.join(", ")))
            }
        }
    };
}

/// A class of arrays of one length.
macro_rules! arrays {
    (
        $(#[$doc:meta])*
        $name:ident { $($fields:tt)* }
    ) => {
        $crate::answers::arrays!($(#[$doc])* "impinge" $name { $($fields)* });
    };
    (
        $(#[$doc:meta])*
        $module:literal $name:ident { $first:ident $(, $field:ident)* }
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, module = $module)]
        #[derive(Debug)]
        pub struct $name {
            #[pyo3(get)] pub $first: Py<PyAny>,
            $(#[pyo3(get)] pub $field: Py<PyAny>,)*
        }

        #[pymethods]
        impl $name {
            #[new]
            fn new($first: Py<PyAny>, $($field: Py<PyAny>,)*) -> Self {
                Self { $first, $($field,)* }
            }

            fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
                self.$first.bind(py).len()
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> PyResult<(Bound<'py, ::pyo3::types::PyType>, Bound<'py, ::pyo3::types::PyTuple>)> {
                let py = slf.py();
                let values: Vec<Bound<'py, PyAny>> =
                    vec![slf.getattr(stringify!($first))?, $(slf.getattr(stringify!($field))?,)*];
                Ok((slf.get_type(), ::pyo3::types::PyTuple::new(py, values)?))
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let names: &[&str] = &[stringify!($first), $(stringify!($field),)*];
                Ok(format!("<{} of {}: {}>", stringify!($name), self.__len__(py)?, names.join(", ")))
            }
        }
    };
}

pub(crate) use {answer, arrays};

answer!(
    /// How far apart two shapes are: the distance, bounds that hold the true one, and two nearest
    /// points in the frame of the first shape.
    ///
    /// >>> import impinge
    /// >>> gap = impinge.Ball(1.0).distance(impinge.Ball(1.0), [5.0, 0.0, 0.0])
    /// >>> gap.distance, gap.point_a.tolist()
    /// (3.0, [1.0, 0.0, 0.0])
    Distance { distance: f64, lower: f64, upper: f64; point_a, point_b }
);

answer!(
    /// The shortest translation that parts two shapes: its length, bounds on it, the direction in
    /// which the second leaves, and the points that touch last.
    ///
    /// >>> import impinge
    /// >>> deep = impinge.Ball(1.0).penetration(impinge.Ball(1.0), [1.5, 0.0, 0.0])
    /// >>> deep.depth, deep.normal.tolist()
    /// (0.5, [1.0, 0.0, 0.0])
    Penetration { depth: f64, lower: f64, upper: f64; normal, point_a, point_b }
);

answer!(
    /// The volume that two solids share: the value, bounds, the centroid (NaN where the volume is
    /// zero), and how it changes when the second is moved (``gradient``) or turned about the origin
    /// (``gradient_rotation``).
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1.0, 1.0, 1.0])
    /// >>> cube.volume(cube, [1.0, 1.0, 1.0]).volume
    /// 1.0
    Volume { volume: f64, lower: f64, upper: f64, crossings: usize; centroid, gradient, gradient_rotation }
);

answer!(
    /// The first contact of a motion: its time from 0 to 1, a time before which the shapes are
    /// apart (``lower``), one at which they meet (``upper``), and where.
    ///
    /// >>> import impinge
    /// >>> hit = impinge.Ball(1.0).impact(impinge.Ball(1.0), [4.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    /// >>> round(hit.time, 6)
    /// 0.5
    Impact { time: f64, lower: f64, upper: f64, face_a: u32, face_b: u32; point, normal }
);

answer!(
    /// Where a ray or segment first meets a shape: ``t`` in lengths of the direction, or from 0 to
    /// 1 on a segment.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).cast_ray([-3, 0, 0], [1, 0, 0])
    /// RayHit(t=2.0, face=0, point=[-1.0, 0.0, 0.0], normal=[-1.0, 0.0, 0.0])
    RayHit { t: f64, face: u32; point, normal }
);

answer!(
    /// Where a moving ball first meets a shape: ``t`` from 0 to 1 on its way, with bounds.
    ///
    /// >>> import impinge
    /// >>> hit = impinge.Ball(1.0).cast_ball(0.5, [-3, 0, 0], [0, 0, 0])
    /// >>> round(hit.t, 9), hit.center.round(6).tolist()
    /// (0.5, [-1.5, 0.0, 0.0])
    BallHit { t: f64, lower: f64, upper: f64, face: u32; center, point, normal }
);

answer!(
    /// The nearest point of a shape: of a mesh also the face and the weights of its corners.
    ///
    /// >>> import impinge
    /// >>> impinge.Ball(1.0).closest_point([3.0, 0.0, 0.0]).point.tolist()
    /// [1.0, 0.0, 0.0]
    ClosestPoint { distance: f64, lower: f64, upper: f64, face: Option<u32>; point, barycentric }
);

answer!(
    /// What a solid weighs at density 1: volume, area, centroid, and the inertia about the
    /// centroid.
    ///
    /// >>> import impinge
    /// >>> round(impinge.generate("icosphere").mass().volume, 1) > 0
    /// True
    Mass { volume: f64, area: f64, inertia: Vec<Vec<f64>>; centroid }
);

answer!(
    /// Two parts that collide or come too close. ``a`` and ``b`` are their places in the assembly,
    /// ``kind`` is one of ``duplicate``, ``crossing``, ``contained``, ``touching``, ``clearance``;
    /// ``depth`` bounds the depth, if there is one; ``inner`` names the contained part: ``a``,
    /// ``b`` or ``pieces``.
    Clash {
        a: u32, b: u32, name_a: String, name_b: String, kind: String,
        depth: Option<(f64, f64)>, distance: f64, inner: Option<String>; point_a, point_b
    }
);

answer!(
    /// What is wrong with a mesh: ``kind`` in a few words, ``severity``, and a sentence that names
    /// the place.
    Finding { kind: String, severity: String, message: String; }
);

arrays!(
    /// Distances for many poses: ``distance`` (inf where there is none), ``lower``, ``upper`` of
    /// shape (m,), ``point_a``, ``point_b`` of shape (m, 3).
    Distances { distance, lower, upper, point_a, point_b }
);
arrays!(
    /// Depths for many poses: ``depth`` (0 where the shapes are apart), ``lower``, ``upper`` of
    /// shape (m,), ``normal``, ``point_a``, ``point_b`` of shape (m, 3), NaN where they are apart.
    Penetrations { depth, lower, upper, normal, point_a, point_b }
);
arrays!(
    /// Shared volumes for many poses: ``volume``, ``lower``, ``upper`` of shape (m,), ``centroid``,
    /// ``gradient``, ``gradient_rotation`` of shape (m, 3).
    Volumes { volume, lower, upper, centroid, gradient, gradient_rotation }
);
arrays!(
    /// First contacts of many motions: ``time`` (inf where there is none), ``lower``, ``upper`` of
    /// shape (m,), ``point``, ``normal`` of shape (m, 3).
    Impacts { time, lower, upper, point, normal }
);
arrays!(
    /// First hits of many rays: ``hit`` (bool), ``t`` (inf where there is none), ``face`` (−1) of
    /// shape (m,), ``point``, ``normal`` (NaN) of shape (m, 3).
    RayHits { hit, t, face, point, normal }
);
arrays!(
    /// Every hit of many rays, in the order of the rays and along each: ``ray``, ``face``, ``t`` of
    /// shape (k,), ``point``, ``barycentric`` of shape (k, 3).
    AllRayHits { ray, face, t, point, barycentric }
);
arrays!(
    /// Nearest points of many: ``distance`` (inf where there is none), ``face`` (−1) of shape (m,),
    /// ``point``, ``barycentric`` of shape (m, 3).
    ClosestPoints { distance, face, point, barycentric }
);
arrays!(
    /// Where two shapes touch: ``depth`` (negative for a gap), ``id`` (the same for the same
    /// features from call to call), ``patch``, ``child_a``, ``child_b``, ``face_a``, ``face_b`` (−1
    /// when it is no face) of shape (k,), ``point_a``, ``point_b``, ``normal`` (from the first to
    /// the second) of shape (k, 3).
    ///
    /// >>> import impinge
    /// >>> cube = impinge.Cuboid([1.0, 1.0, 1.0])
    /// >>> touching = cube.contacts(cube, [0.0, 0.0, 2.0])
    /// >>> len(touching), touching.normal[0].tolist()
    /// (4, [0.0, 0.0, 1.0])
    Contacts { depth, point_a, point_b, normal, patch, face_a, face_b, child_a, child_b, id }
);

/// Contacts out; `patches` gives the number of the patch of each.
pub(crate) fn out_contacts(
    py: Python<'_>,
    points: &[ContactPoint],
    patches: Vec<u32>,
) -> PyResult<Contacts> {
    use impinge::convex::Feature;
    let face = |feature: &Feature| match feature {
        Feature::Face(face) => i64::from(*face),
        _ => -1,
    };
    let each = || points.iter();
    Ok(Contacts {
        depth: out_list(py, each().map(|p| p.depth)),
        point_a: out_points(py, each().map(|p| p.point_a))?
            .into_any()
            .unbind(),
        point_b: out_points(py, each().map(|p| p.point_b))?
            .into_any()
            .unbind(),
        normal: out_points(py, each().map(|p| p.normal))?
            .into_any()
            .unbind(),
        patch: out_list(py, patches),
        face_a: out_list(py, each().map(|p| face(&p.feature_a))),
        face_b: out_list(py, each().map(|p| face(&p.feature_b))),
        child_a: out_list(py, each().map(|p| p.child_a)),
        child_b: out_list(py, each().map(|p| p.child_b)),
        id: out_list(py, each().map(|p| p.id)),
    })
}

/// A `(n,)` array out.
pub(crate) fn out_list<T: numpy::Element>(
    py: Python<'_>,
    values: impl IntoIterator<Item = T>,
) -> Py<PyAny> {
    let values: Vec<T> = values.into_iter().collect();
    PyArray1::from_vec(py, values).into_any().unbind()
}

/// The same of what is a list already, which is not copied.
pub(crate) fn out_column<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Py<PyAny> {
    PyArray1::from_vec(py, values).into_any().unbind()
}

/// A `(n, 3)` array out, as an object.
pub(crate) fn out_list3(
    py: Python<'_>,
    points: impl IntoIterator<Item = DVec3>,
) -> PyResult<Py<PyAny>> {
    Ok(out_points(py, points)?.into_any().unbind())
}

/// A `(n, K)` array out, as an object.
pub(crate) fn out_table<T: numpy::Element, const K: usize>(
    py: Python<'_>,
    rows: Vec<[T; K]>,
) -> PyResult<Py<PyAny>> {
    Ok(out_rows(py, rows)?.into_any().unbind())
}

pub(crate) fn out_distance(found: Bounded<Option<Separation>>) -> Option<Distance> {
    found.value.map(|gap| Distance {
        distance: gap.distance,
        lower: found.lower,
        upper: found.upper,
        point_a: gap.point_a,
        point_b: gap.point_b,
    })
}

pub(crate) fn out_penetration(found: Bounded<Option<ConvexPenetration>>) -> Option<Penetration> {
    found.value.map(|deep| Penetration {
        depth: deep.depth,
        lower: found.lower,
        upper: found.upper,
        normal: deep.normal,
        point_a: deep.point_a,
        point_b: deep.point_b,
    })
}

pub(crate) fn out_volume(found: Bounded<OverlapVolume>) -> Volume {
    let common = found.value;
    Volume {
        volume: common.volume,
        lower: found.lower,
        upper: found.upper,
        crossings: common.crossings,
        centroid: common.centroid.unwrap_or(DVec3::NAN),
        gradient: common.gradient.translation,
        gradient_rotation: common.gradient.rotation,
    }
}

pub(crate) fn out_impact(found: Bounded<Option<query::Impact>>) -> Option<Impact> {
    found.value.map(|hit| Impact {
        time: hit.time,
        lower: found.lower,
        upper: found.upper,
        face_a: hit.faces.a.raw(),
        face_b: hit.faces.b.raw(),
        point: hit.point,
        normal: hit.normal,
    })
}

pub(crate) fn out_ray_hit(hit: impinge::pair::RayHit) -> RayHit {
    RayHit {
        t: hit.t,
        face: hit.face.raw(),
        point: hit.point,
        normal: hit.normal,
    }
}

/// The points of a manifold in the order of its patches, and the number of the patch of each.
pub(crate) fn by_patch(manifold: &Manifold) -> (Vec<ContactPoint>, Vec<u32>) {
    let (mut points, mut patches) = (Vec::new(), Vec::new());
    for (number, patch) in manifold.patches().enumerate() {
        for point in patch.points {
            points.push(*point);
            patches.push(number as u32);
        }
    }
    (points, patches)
}
