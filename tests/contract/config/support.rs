//! Configuration files in a folder of their own, and the result of loading them.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use flagfall::config::{Config, Errors, Loaded, load};

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// Writes a file that only its owner may read.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        self.file_with(name, contents, 0o600)
    }

    pub(crate) fn file_with(&self, name: &str, contents: impl AsRef<[u8]>, mode: u32) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, contents).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("its mode");
        path
    }

    /// The errors as lines, without the path of the folder.
    pub(crate) fn lines(&self, errors: &Errors) -> Vec<String> {
        let folder = format!("{}/", self.0.path().display());
        errors.to_string().replace(&folder, "").lines().map(str::to_owned).collect()
    }

    pub(crate) fn load(&self, files: &[&str], variables: &[(&str, &str)]) -> Result<Loaded, Errors> {
        let files: Vec<PathBuf> = (1..).zip(files).map(|(n, text)| self.file(&format!("{n}.toml"), text)).collect();
        load(&files, variables.iter().map(|(name, value)| (name.to_string(), value.to_string())))
    }
}

/// The configuration from these texts and variables.
#[track_caller]
pub(crate) fn config(files: &[&str], variables: &[(&str, &str)]) -> Config {
    match Folder::new().load(files, variables) {
        Ok(loaded) => loaded.config,
        Err(errors) => panic!("{errors}"),
    }
}

/// The errors in these texts and variables, one line each.
#[track_caller]
pub(crate) fn problems(files: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let folder = Folder::new();
    match folder.load(files, variables) {
        Ok(loaded) => panic!("was accepted: {loaded:?}"),
        Err(errors) => folder.lines(&errors),
    }
}
