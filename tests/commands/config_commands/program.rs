//! The program as a process, and files for it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }
}

/// Runs the program with these environment variables and no others.
pub(crate) fn flagfall(words: &[&str], variables: &[(&str, &str)]) -> Ran {
    flagfall_in(Path::new("."), words, variables)
}

/// The same in this folder.
pub(crate) fn flagfall_in(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    let Output { status, stdout, stderr } = command
        .current_dir(folder)
        .args(words)
        .env_clear()
        .envs(variables.iter().copied())
        .output()
        .unwrap_or_else(|error| panic!("flagfall: {error}"));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

pub(crate) fn write(folder: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{name}: {error}"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap_or_else(|error| panic!("{name}: {error}"));
    path
}
