//! Writes the pages into a folder, for another web server.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::config_json::Public;
use super::files;
use super::headers;
use crate::config::Config;

/// Writes all files of the pages, `config.json`, and `nginx.conf.example` with the headers into this folder, which must be empty or new.
///
/// # Errors
/// The folder holds something, a file cannot be written, or the configuration does not say where the pages find the broker.
pub fn export(config: &Config, folder: &Path) -> Result<usize> {
    let websocket = config.screens.websocket.as_deref();
    let websocket = websocket.context("screens.websocket: must say where the pages find the broker")?;
    let named = || folder.display().to_string();
    fs::create_dir_all(folder).with_context(named)?;
    ensure!(fs::read_dir(folder).with_context(named)?.next().is_none(), "{}: is not empty", folder.display());
    let write = |name: &str, bytes: &[u8]| -> Result<()> {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, bytes)).with_context(|| path.display().to_string())
    };
    let mut written = 0;
    for name in files::names() {
        let Some(bytes) = files::content(&name) else { continue };
        write(&name, &bytes)?;
        written += 1;
    }
    write("config.json", Public::new(config)?.text().as_bytes())?;
    write("nginx.conf.example", nginx(websocket, &config.screens.embed).as_bytes())?;
    Ok(written + 2)
}

fn nginx(websocket: &str, embed: &[String]) -> String {
    let ancestors = if embed.is_empty() { "'none'".to_owned() } else { embed.join(" ") };
    let fixed: String = headers::fixed().map(|(name, value)| format!("    add_header {name} \"{value}\" always;\n")).collect();
    let with = |ancestors: &str| {
        format!("    add_header Content-Security-Policy \"{}\" always;\n{fixed}", headers::policy(Some(websocket), ancestors))
    };
    format!(
        "# Put this into the server block of the site, with TLS, and set root to this folder.\n\
         location / {{\n    index index.html;\n    add_header Cache-Control no-cache always;\n{}}}\n\
         location = /board/index.html {{\n    add_header Cache-Control no-cache always;\n{}}}\n",
        with("'none'"),
        with(&ancestors)
    )
}
