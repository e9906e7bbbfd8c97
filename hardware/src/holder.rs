//! Which program holds a port.

use std::fmt;
use std::fs;
use std::path::Path;

/// The most holders that are named.
const MAX_HOLDERS: usize = 16;

/// A program that has a port open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// Its name, as the kernel knows it: at most 15 bytes.
    pub name: String,
    /// It is this very process.
    pub ours: bool,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ours {
            true => f.write_str("this program"),
            false => write!(f, "{} (process {})", self.name, self.pid),
        }
    }
}

/// Every process that has the device behind `path` open, in order of number, as far as this user may look: without rights
/// only the user's own processes are seen.
pub fn holders(path: &Path) -> Vec<Holder> {
    let Ok(device) = fs::canonicalize(path) else { return Vec::new() };
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let mut pids: Vec<u32> = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    let holding = pids.into_iter().filter(|pid| holds(*pid, &device)).take(MAX_HOLDERS);
    holding.map(|pid| Holder { pid, name: name(pid), ours: pid == std::process::id() }).collect()
}

fn holds(pid: u32, device: &Path) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    open.filter_map(Result::ok).any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == device))
}

fn name(pid: u32) -> String {
    // A process that ended meanwhile keeps its number only.
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim().chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The holders for people; says so if none may be seen.
pub fn describe(holders: &[Holder]) -> String {
    match holders {
        [] => "another program, which only root may see".to_owned(),
        seen => seen.iter().map(Holder::to_string).collect::<Vec<_>>().join(", "),
    }
}
