//! Runs `flagfall fleet make`.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::config;
use crate::fleet::{self, Change, Secrets};
use crate::system_clock::utc;

/// Write the files of all machines of an event: access rules, passwords, certificates and one folder for each card.
///
/// Example: flagfall fleet make event.toml OUT --rotate pi-07
///
/// OUT/secrets has the passwords and keys; it is the only folder to keep safe. The same event file and secrets give the same files
/// again, and files that are right are not touched. The exit code is 78 if the event file is wrong.
#[derive(Args)]
pub(in crate::cli) struct Make {
    /// The event's configuration.
    #[arg(value_name = "EVENT.TOML")]
    event: PathBuf,
    /// The folder for the files.
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Make the password of this machine or user new. "certificate" = the broker's key and certificate, "relay" = the password at
    /// the broker outside.
    #[arg(long, value_name = "NAME")]
    rotate: Vec<String>,
}

impl Make {
    pub(super) fn run(self) -> Result<ExitCode> {
        let venue = config::load_venue(&self.event)?;
        let names = fleet::names(&venue.config);
        if let Some(strange) = self.rotate.iter().find(|name| !names.contains(*name)) {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            bail!("--rotate {strange:?}: there is no such secret; there are: {}", known.join(", "));
        }
        let rotate: BTreeSet<String> = self.rotate.into_iter().collect();
        let secrets = Secrets::open(&self.out.join("secrets"), &venue.config, &rotate).map_err(anyhow::Error::msg)?;
        let files = fleet::files(&venue, &secrets).map_err(anyhow::Error::msg)?;
        let changes = fleet::write(&self.out, &files).map_err(anyhow::Error::msg)?;
        let mut out = std::io::stdout().lock();
        for (file, change) in files.iter().zip(&changes) {
            match change {
                Change::New => writeln!(out, "new      {}", file.path)?,
                Change::Changed => writeln!(out, "changed  {}", file.path)?,
                Change::Same => {}
            }
        }
        let same = changes.iter().filter(|change| **change == Change::Same).count();
        writeln!(out, "{} files, {same} of them as they were.", files.len())?;
        for text in fleet::advice(&venue.config, utc()) {
            writeln!(out, "Note: {text}")?;
        }
        for stray in fleet::strays(&venue.config, &self.out) {
            writeln!(out, "Note: node/{stray} is no machine of the event any more: its card cannot log in. Delete the folder.")?;
        }
        for name in rotate {
            writeln!(out, "{name}: {}", after_rotation(&name, venue.config.fleet.node.contains_key(&name)))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What to do so that a new secret is used.
fn after_rotation(name: &str, is_node: bool) -> String {
    let broker = "copy hall/mosquitto/passwords to the broker and run `systemctl reload mosquitto` there";
    match name {
        "certificate" => {
            "copy hall/certs to the broker and run `systemctl reload mosquitto` there; nothing else changes".to_owned()
        }
        "relay" => "copy hall/mosquitto/bridge.conf to the broker and restart it; give the new password to the relay".to_owned(),
        _ if is_node => format!(
            "copy node/{name}/mqtt.password to /etc/flagfall of the machine and run `systemctl reload flagfall` there; then {broker}"
        ),
        _ => format!("{broker}; the new password is in cards.txt"),
    }
}
