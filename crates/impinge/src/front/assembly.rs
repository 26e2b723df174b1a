//! The clashes of an assembly, in four lines.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use crate::clash::{
    Clash, ClashError, ClashFilter, ClashOptions, ClashProgress, find_clashes, rank, refine_depths,
};
use crate::io::{Assembly, ReadError, ReadOptions, read_assembly};
use crate::query::Outcome;

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
        let mut go_on = |_: &_| ControlFlow::Continue(());
        let (clashes, _) = self.filtered_clashes(&ClashFilter::default(), options, &mut go_on)?;
        Ok(clashes)
    }

    /// The clashes that [rules](crate::clash::ClashRules) leave, the worst first, and whether the search was finished: `progress` may
    /// end it. Depths have the bounds that [`ClashOptions::depth_tests`] pays for; [`refine`](Self::refine) narrows them.
    ///
    /// # Errors
    /// Those of [`clashes`](Self::clashes).
    ///
    /// ```
    /// use impinge::clash::ClashRules;
    /// use impinge::io::{Format, ReadOptions, read_assembly_bytes};
    /// use impinge::prelude::*;
    /// use std::ops::ControlFlow::Continue;
    /// let text = b"o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n";
    /// let assembly = read_assembly_bytes(text, Format::Obj, &ReadOptions::default())?;
    /// let rules = ClashRules::parse("ignore one two")?.filter(assembly.parts.iter().map(|part| part.name.as_str()));
    /// let (clashes, _) = assembly.filtered_clashes(&rules, &ClashOptions::default(), &mut |_| Continue(()))?;
    /// assert!(clashes.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn filtered_clashes(
        &self,
        filter: &ClashFilter,
        options: &ClashOptions,
        progress: &mut dyn FnMut(&ClashProgress) -> ControlFlow<()>,
    ) -> Result<(Vec<Clash>, Outcome), ClashError> {
        let mut clashes = Vec::new();
        let accepts = |a: u32, b: u32| filter.accepts(a, b);
        let outcome = find_clashes(&self.parts, &accepts, options, progress, &mut clashes)?;
        clashes.retain(|clash| filter.keeps(clash));
        rank(&mut clashes);
        Ok((clashes, outcome))
    }

    /// Narrows the depths of the worst `count` clashes as far as possible and ranks all again, until the worst `count` are narrowed.
    ///
    /// ```
    /// use impinge::io::{Format, ReadOptions, read_assembly_bytes};
    /// use impinge::prelude::*;
    /// let text = b"o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n";
    /// let assembly = read_assembly_bytes(text, Format::Obj, &ReadOptions::default())?;
    /// let mut clashes = assembly.clashes(&ClashOptions::default())?;
    /// assembly.refine(&ClashOptions::default(), &mut clashes, 1);
    /// assert_eq!(clashes[0].kind.name(), "duplicate");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refine(&self, options: &ClashOptions, clashes: &mut [Clash], count: usize) {
        let count = count.min(clashes.len());
        let mut done: BTreeSet<(u32, u32)> = BTreeSet::new();
        // Each round narrows at least one clash more.
        while clashes[..count].iter().any(|c| !done.contains(&(c.a, c.b))) {
            let mut open: Vec<usize> = (0..count).collect();
            open.retain(|&i| !done.contains(&(clashes[i].a, clashes[i].b)));
            let mut shown: Vec<Clash> = open.iter().map(|&i| clashes[i]).collect();
            refine_depths(&self.parts, options, &mut shown);
            for (i, clash) in open.into_iter().zip(shown) {
                done.insert((clash.a, clash.b));
                clashes[i] = clash;
            }
            rank(clashes);
        }
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
