//! One check for every bounding volume.

/// Runs a generic check, `check::<V>(arguments)`, for every bounding volume of the library.
#[macro_export]
macro_rules! for_every_volume {
    ($check:ident $(, $argument:expr)*) => {
        $check::<::impinge::bound::Aabb>($($argument),*);
        $check::<::impinge::bound::Obb>($($argument),*);
        $check::<::impinge::bound::Ball>($($argument),*);
        $check::<::impinge::bound::Lss>($($argument),*);
        $check::<::impinge::bound::Rss>($($argument),*);
        $check::<::impinge::bound::ObbRss>($($argument),*);
        $check::<::impinge::bound::Kdop<6>>($($argument),*);
        $check::<::impinge::bound::Kdop<8>>($($argument),*);
        $check::<::impinge::bound::Kdop<14>>($($argument),*);
        $check::<::impinge::bound::Kdop<16>>($($argument),*);
        $check::<::impinge::bound::Kdop<18>>($($argument),*);
        $check::<::impinge::bound::Kdop<24>>($($argument),*);
        $check::<::impinge::bound::Kdop<26>>($($argument),*);
    };
}
