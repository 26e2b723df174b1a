//! Typed indices, so that a vertex number is never used as a face number.

/// An id over `u32` with this word in its sentence.
macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(u32);

        impl $name {
            /// The id with this number.
            ///
            /// ```
            /// use impinge::query::FaceId;
            /// assert!(FaceId::new(3) < FaceId::new(4));
            /// ```
            #[inline]
            #[must_use]
            pub const fn new(index: u32) -> Self {
                Self(index)
            }

            /// The number, for indexing.
            ///
            /// ```
            /// use impinge::query::FaceId;
            /// assert_eq!(FaceId::new(3).index(), 3);
            /// ```
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The number as stored.
            ///
            /// ```
            /// use impinge::query::FaceId;
            /// assert_eq!(FaceId::new(3).raw(), 3);
            /// ```
            #[inline]
            #[must_use]
            pub const fn raw(self) -> u32 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($word, " {}"), self.0)
            }
        }
    };
}

pub(crate) use typed_id;

typed_id!(
    /// A face of a mesh, counted from 0 in input order.
    FaceId,
    "face"
);
typed_id!(
    /// A vertex of a mesh, counted from 0 in input order.
    VertexId,
    "vertex"
);
typed_id!(
    /// A directed edge of a face: number `3·face + corner`, from that corner to the next.
    HalfEdgeId,
    "half-edge"
);
