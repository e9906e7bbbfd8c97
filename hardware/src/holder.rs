//! Finds the programs that have a serial port open.

use std::fmt;
use std::fs;
use std::path::Path;

/// The largest number of programs in the list.
const MAX_HOLDERS: usize = 16;

/// A program that has a port open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The process id.
    pub pid: u32,
    /// The process name as the kernel stores it: at most 15 bytes.
    pub name: String,
    /// It is this process.
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

/// Returns every process that has the device behind `path` open, sorted by process id. Without root's rights only the user's
/// own processes are visible.
pub fn holders(path: &Path) -> Vec<Holder> {
    let Ok(device) = fs::canonicalize(path) else { return Vec::new() };
    having_open(&device)
}

/// Returns every process that has the socket with this number open, as [`holders`] does for devices.
pub fn socket_holders(inode: u64) -> Vec<Holder> {
    having_open(Path::new(&format!("socket:[{inode}]")))
}

fn having_open(file: &Path) -> Vec<Holder> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let mut pids: Vec<u32> = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    let holding = pids.into_iter().filter(|pid| holds(*pid, file)).take(MAX_HOLDERS);
    holding.map(|pid| Holder { pid, name: name(pid), ours: pid == std::process::id() }).collect()
}

fn holds(pid: u32, file: &Path) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    open.filter_map(Result::ok).any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == file))
}

fn name(pid: u32) -> String {
    // For a process that has ended in the meantime only the id is known.
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim().chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Describes the holders for people. An empty list means that only root may see the holder.
pub fn describe(holders: &[Holder]) -> String {
    match holders {
        [] => "another program, which only root may see".to_owned(),
        seen => seen.iter().map(Holder::to_string).collect::<Vec<_>>().join(", "),
    }
}
