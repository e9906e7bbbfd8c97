//! Checks how long the certificates of the configuration are valid.

use std::path::Path;

use super::Finding;
use crate::config::{self, Config};
use crate::system_clock::Utc;

/// A certificate that ends within this number of days causes a warning.
const SOON: i64 = 14;

pub(super) fn check(config: &Config, now: Utc) -> Vec<Finding> {
    let (mqtt, screens) = (&config.mqtt, &config.screens);
    let files = [
        ("mqtt.ca_file", mqtt.ca_file.as_deref().filter(|_| mqtt.tls)),
        ("mqtt.certificate_file", mqtt.certificate_file.as_deref().filter(|_| mqtt.tls)),
        ("screens.certificate_file", screens.certificate_file.as_deref().filter(|_| screens.enabled)),
    ];
    files.into_iter().filter_map(|(key, file)| Some(judge(key, file?, now))).collect()
}

fn judge(key: &str, file: &Path, now: Utc) -> Finding {
    let about = format!("{key} {}", file.display());
    let end = match config::end_of_certificate(file) {
        Ok(end) => end,
        Err(why) => return Finding::warning(about, why, "Look at the file with: openssl x509 -noout -dates -in FILE"),
    };
    const DAY: i64 = 86_400_000_000;
    let advice = "Make a new certificate (`flagfall fleet make` with a later end) and give it to all machines.";
    let day = end.to_string().chars().take(10).collect::<String>();
    match end.0.saturating_sub(now.0) / DAY {
        _ if end <= now => Finding::problem(about, format!("ended on {day}"), advice),
        days if days < SOON => Finding::warning(about, format!("ends on {day}, in {days} days"), advice),
        _ => Finding::ok(about, format!("is valid until {day}")),
    }
}
