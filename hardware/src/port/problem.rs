//! Why no port could be opened, for people.

use std::fmt;
use std::path::PathBuf;

use crate::holder::{self, Holder};
use crate::link::LinkError;

/// Why a link has no port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// No port is the wanted one.
    NotFound,
    /// Nothing says which of these ports is the board's.
    Several(Vec<PathBuf>),
    /// Somebody holds the port.
    Busy {
        /// The port.
        path: PathBuf,
        /// Who, as far as this user may see.
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
        /// What the operating system said.
        cause: String,
    },
}

impl LinkProblem {
    /// The problem behind a port that did not open; looks for the holder of one that is busy.
    pub fn from_error(path: PathBuf, error: &LinkError) -> LinkProblem {
        match error {
            LinkError::Busy => LinkProblem::Busy { holders: holder::holders(&path), path },
            LinkError::Denied => LinkProblem::Denied { path },
            // It went between looking and opening.
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
                f.write_str("several ports may be the board's; name its port or serial number: ")?;
                let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
                f.write_str(&paths.join(", "))
            }
            LinkProblem::Busy { path, holders } => write!(f, "{} is held by {}", path.display(), holder::describe(holders)),
            LinkProblem::Denied { path } => write!(f, "{}: permission denied", path.display()),
            LinkProblem::Failed { path, cause } => write!(f, "{}: {cause}", path.display()),
        }
    }
}
