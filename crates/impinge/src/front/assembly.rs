//! The clashes of an assembly, in four lines.

use std::ops::ControlFlow;
use std::path::Path;

use crate::clash::{Clash, ClashError, ClashOptions, find_clashes, rank};
use crate::io::{Assembly, ReadError, ReadOptions, read_assembly};

impl Assembly {
    /// The assembly in a file, every part of it: a damaged part is an error. [`read_assembly`] goes on without it.
    ///
    /// # Errors
    /// [`ReadError`] with the path and the line or byte.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let refused = Assembly::open("no such file.glb").unwrap_err();
    /// assert!(refused.to_string().starts_with("no such file.glb: "));
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let mut assembly = read_assembly(path, &ReadOptions::default())?;
        if assembly.refused.is_empty() {
            return Ok(assembly);
        }
        let mut error = assembly.refused.swap_remove(0).error;
        error.path.get_or_insert_with(|| path.to_path_buf());
        Err(error)
    }

    /// Every two parts that collide or come too close, the most severe first. The numbers in a [`Clash`] are places in
    /// [`parts`](Self::parts).
    ///
    /// # Errors
    /// [`ClashError`] for a clearance or tolerance that is negative or not finite, and for too many parts.
    ///
    /// ```
    /// use impinge::io::{Format, ReadOptions, read_assembly_bytes};
    /// use impinge::prelude::*;
    /// let text = b"o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.3 0.2 1\nf 4 5 6\n";
    /// let assembly = read_assembly_bytes(text, Format::Obj, &ReadOptions::default())?;
    /// let clashes = assembly.clashes(&ClashOptions::default())?;
    /// assert_eq!((clashes.len(), clashes[0].kind.name()), (1, "crossing"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clashes(&self, options: &ClashOptions) -> Result<Vec<Clash>, ClashError> {
        let mut clashes = Vec::new();
        let mut go_on = |_: &_| ControlFlow::Continue(());
        let _ = find_clashes(&self.parts, &|_, _| true, options, &mut go_on, &mut clashes)?;
        rank(&mut clashes);
        Ok(clashes)
    }

    /// The names of the two parts that clash.
    ///
    /// ```
    /// use impinge::io::{Format, ReadOptions, read_assembly_bytes};
    /// use impinge::prelude::*;
    /// let text = b"o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n";
    /// let assembly = read_assembly_bytes(text, Format::Obj, &ReadOptions::default())?;
    /// let clashes = assembly.clashes(&ClashOptions::default())?;
    /// assert_eq!(assembly.names(&clashes[0]), ["one", "two"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn names(&self, clash: &Clash) -> [&str; 2] {
        let name = |part: u32| self.parts.get(part as usize).map_or("", |part| &part.name);
        [name(clash.a), name(clash.b)]
    }
}
