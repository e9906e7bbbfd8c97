//! Lists the serial ports once for all links that search, and watches the folders where ports may appear.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::discover::{self, Found};
use crate::hotplug::Hotplug;

/// A list of ports.
pub(super) type Ports = Arc<[Arc<Found>]>;

/// What one link asks.
pub(super) struct Inquiry {
    pub(super) id: u64,
    /// When its search began, by which an answer to an older search is recognised.
    pub(super) began: u64,
    pub(super) port: Option<PathBuf>,
    pub(super) folders: Vec<PathBuf>,
}

/// What one link learns.
pub(super) struct Answer {
    pub(super) id: u64,
    pub(super) began: u64,
    /// All ports that the system knows and those in the link's folders; links with the same folders share one list.
    pub(super) ports: Ports,
    /// The configured port, if it exists.
    pub(super) configured: Option<Arc<Found>>,
    /// The configured path does not exist, and the kernel reports it when it appears.
    pub(super) absent: bool,
}

/// The ports of this computer.
pub(super) struct Survey {
    /// The ports that the system knows.
    pub(super) known: Vec<Found>,
    pub(super) answers: Vec<Answer>,
}

/// Answers all inquiries. `known` is the system's list, if the former one is still fresh. Folders are watched before they are
/// listed, so that no change is missed.
pub(super) fn survey(inquiries: Vec<Inquiry>, known: Option<Vec<Found>>, hotplug: Option<&Hotplug>) -> Survey {
    let watch = |folder: &Path| hotplug.is_some_and(|hotplug| hotplug.watch(folder));
    let watches_dev = watch(Path::new("/dev"));
    let mut lists: Vec<(Vec<PathBuf>, bool, Ports)> = Vec::new();
    let known = known.unwrap_or_else(discover::known);
    let answers = inquiries.into_iter().map(|Inquiry { id, began, port, folders }| {
        let index = lists.iter().position(|(same, ..)| *same == folders).unwrap_or_else(|| {
            let watched = folders.iter().fold(watches_dev, |all, folder| watch(folder) && all);
            // The place to which a link leads is not watched.
            let (ports, all_are_there) = discover::and_in(known.clone(), &folders);
            lists.push((folders, watched && all_are_there, ports.into_iter().map(Arc::new).collect()));
            lists.len() - 1
        });
        let (_, watched, ports) = &lists[index];
        let watched = port.as_deref().and_then(Path::parent).is_none_or(watch) && *watched;
        let configured = port.as_deref().and_then(discover::at).map(Arc::new);
        let absent = watched && port.as_deref().is_none_or(|port| configured.is_none() && is_absent(port));
        Answer { id, began, ports: Arc::clone(ports), configured, absent }
    });
    let answers = answers.collect();
    Survey { known, answers }
}

/// Whether there is no entry at this path, not even a link to a place where nothing is.
pub(crate) fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}
