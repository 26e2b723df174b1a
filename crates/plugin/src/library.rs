//! A plug-in in memory.
#![expect(unsafe_code, reason = "loading a library runs its code")]

use std::any::Any;
use std::env::consts::DLL_EXTENSION;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::abi::{ENTRY, PluginTable};
use crate::error::LoadError;
use crate::shape::{KindHandle, kinds_of};

/// A loaded plug-in. It stays in memory as long as it, one of its kinds or one of their shapes lives.
#[derive(Debug)]
pub struct Library {
    kinds: Vec<KindHandle>,
}

impl Library {
    /// The plug-in in a file, checked.
    ///
    /// # Errors
    /// [`LoadError`] when the file cannot be loaded, exports no entry, gives no table, was written for another version of the interface,
    /// or when a kind lacks a name or a function.
    ///
    /// # Safety
    /// The file's code runs without any protection. The caller guarantees that it is a plug-in that keeps its promises:
    ///
    /// - Its tables lie still and unchanged while it is loaded; names are as long as stated; functions are of the types of
    ///   [`KindTable`](crate::KindTable).
    /// - No function unwinds, and none writes more than allowed.
    /// - All but `create` and `destroy` may be called by several threads at once; those two by any thread.
    /// - Loading and unloading it does nothing that the program does not expect.
    ///
    /// A file that is no plug-in at all is refused after the system has loaded it: the code that runs when a library is loaded has
    /// then run.
    ///
    /// ```
    /// use impinge_plugin::{Library, LoadError};
    /// // SAFETY: there is no such file.
    /// let refused = unsafe { Library::open("/no/such/plug-in.so") };
    /// assert!(matches!(refused, Err(LoadError::Open { .. })));
    /// ```
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        // SAFETY: the caller vouches for what runs when the file is loaded.
        let library =
            unsafe { libloading::Library::new(path) }.map_err(|error| LoadError::Open {
                path: path.to_owned(),
                message: error.to_string(),
            })?;
        let table = {
            // SAFETY: whatever exports this name vouches to be a function of this type.
            let entry: libloading::Symbol<'_, unsafe extern "C" fn() -> *const PluginTable> =
                unsafe { library.get(ENTRY.as_bytes()) }.map_err(|_| LoadError::NoEntry)?;
            // SAFETY: the caller vouches for the plug-in's code.
            unsafe { entry() }
        };
        let library: Arc<dyn Any + Send + Sync> = Arc::new(library);
        // SAFETY: the caller vouches that the table is as the interface says, as far as that cannot be checked.
        let kinds = unsafe { kinds_of(table, &library)? };
        Ok(Self { kinds })
    }

    /// Every plug-in in a folder: each file whose name ends as those of libraries do on this system, by name, with its plug-in or why it is
    /// refused. Folders inside are not entered.
    ///
    /// # Errors
    /// When the folder cannot be read.
    ///
    /// # Safety
    /// As for [`open`](Self::open), for every such file: whoever can write into the folder can run code here.
    ///
    /// ```
    /// use impinge_plugin::Library;
    /// let folder = std::env::temp_dir().join("no such folder of plug-ins");
    /// // SAFETY: there is no such folder.
    /// assert!(unsafe { Library::scan(folder) }.is_err());
    /// ```
    pub unsafe fn scan(
        folder: impl AsRef<Path>,
    ) -> std::io::Result<Vec<(PathBuf, Result<Self, LoadError>)>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let suffix = path.extension().and_then(OsStr::to_str);
            if path.is_file() && suffix == Some(DLL_EXTENSION) {
                files.push(path);
            }
        }
        files.sort();
        let open = |path: PathBuf| {
            // SAFETY: the caller vouches for every library in the folder.
            let library = unsafe { Self::open(&path) };
            (path, library)
        };
        Ok(files.into_iter().map(open).collect())
    }

    /// Its kinds, in its own order.
    #[must_use]
    pub fn kinds(&self) -> &[KindHandle] {
        &self.kinds
    }

    /// The kind with this name.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<&KindHandle> {
        self.kinds.iter().find(|kind| kind.name() == name)
    }
}
