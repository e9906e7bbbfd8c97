//! Explains to people why a serial link has no port.

use std::fmt;
use std::path::PathBuf;

use crate::holder::{self, Holder};
use crate::link::LinkError;

/// The reason why a link has no port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// No port fits.
    NotFound,
    /// Several ports fit, and nothing tells which one is the board's.
    Several(Vec<PathBuf>),
    /// A program has the port open.
    Busy {
        /// The port.
        path: PathBuf,
        /// The programs that this user may see.
        holders: Vec<Holder>,
    },
    /// This user may not open the port.
    Denied {
        /// The port.
        path: PathBuf,
    },
    /// The port does not open.
    Failed {
        /// The port.
        path: PathBuf,
        /// The text of the operating system's error.
        cause: String,
    },
}

impl LinkProblem {
    /// Returns the problem of a port that did not open. For a busy port it searches for the holders.
    pub fn from_error(path: PathBuf, error: &LinkError) -> LinkProblem {
        match error {
            LinkError::Busy => LinkProblem::Busy { holders: holder::holders(&path), path },
            LinkError::Denied => LinkProblem::Denied { path },
            // The port went away between the check and the open.
            LinkError::Unplugged => LinkProblem::NotFound,
            other => LinkProblem::Failed { path, cause: other.to_string() },
        }
    }
}

impl fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkProblem::NotFound => f.write_str("not found: no port is the wanted one"),
            LinkProblem::Several(paths) => {
                f.write_str("several ports may be the board's; configure its port or serial number: ")?;
                let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
                f.write_str(&paths.join(", "))
            }
            LinkProblem::Busy { path, holders } => write!(f, "{} is held by {}", path.display(), holder::describe(holders)),
            LinkProblem::Denied { path } => write!(f, "{}: permission denied", path.display()),
            LinkProblem::Failed { path, cause } => write!(f, "{}: {cause}", path.display()),
        }
    }
}
