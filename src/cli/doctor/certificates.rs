//! Checks how long the certificates of the configuration are valid.

use std::path::Path;

use super::Finding;
use crate::config::{self, Config};
use crate::system_clock::Utc;

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
        days if days < config::CERTIFICATE_ENDS_SOON => Finding::warning(about, format!("ends on {day}, in {days} days"), advice),
        _ => Finding::ok(about, format!("is valid until {day}")),
    }
}

#[cfg(all(test, feature = "tools"))]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::super::State;
    use super::*;

    fn certificate(folder: &Path, year: i32) -> std::path::PathBuf {
        let mut params = CertificateParams::new(["hall.local".to_owned()]).expect("a name");
        (params.not_before, params.not_after) = (date_time_ymd(2025, 1, 1), date_time_ymd(year, 3, 2));
        let made = params.self_signed(&KeyPair::generate().expect("a key")).expect("a certificate");
        let file = folder.join(format!("{year}.pem"));
        std::fs::write(&file, made.pem()).expect("a file");
        file
    }

    #[test]
    fn a_certificate_is_warned_of_two_weeks_before_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        for (year, now, state, found) in [
            (2026, "2026-01-01T00:00:00Z", State::Ok, "is valid until 2026-03-02"),
            (2026, "2026-02-16T00:00:00Z", State::Ok, "is valid until 2026-03-02"),
            (2026, "2026-02-16T00:00:01Z", State::Warning, "ends on 2026-03-02, in 13 days"),
            (2026, "2026-03-01T23:00:00Z", State::Warning, "ends on 2026-03-02, in 0 days"),
            (2026, "2026-03-02T00:00:00Z", State::Problem, "ended on 2026-03-02"),
            (2026, "2030-01-01T00:00:00Z", State::Problem, "ended on 2026-03-02"),
            // Years from 2050 on are written in another way.
            (2055, "2026-01-01T00:00:00Z", State::Ok, "is valid until 2055-03-02"),
        ] {
            let finding = judge("mqtt.ca_file", &certificate(folder.path(), year), Utc::parse(now).expect("a time"));
            assert_eq!((finding.state, finding.found.as_str()), (state, found), "{now}");
        }
    }

    #[test]
    fn the_first_end_in_a_file_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let texts = [2028, 2026, 2027].map(|year| std::fs::read_to_string(certificate(folder.path(), year)).expect("text"));
        let file = folder.path().join("all.pem");
        std::fs::write(&file, texts.concat()).expect("a file");
        let finding = judge("mqtt.ca_file", &file, Utc::parse("2026-01-01T00:00:00Z").expect("a time"));
        assert_eq!(finding.found, "is valid until 2026-03-02");
    }

    #[test]
    fn what_is_no_certificate_is_a_warning() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text, why) in [
            ("empty", "", "holds no CERTIFICATE"),
            ("short", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", "does not say when it ends"),
        ] {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("a file");
            let finding = judge("mqtt.ca_file", &file, Utc(0));
            assert!(finding.state == State::Warning && finding.found.contains(why), "{name}: {finding:?}");
        }
        let missing = judge("mqtt.ca_file", &folder.path().join("none"), Utc(0));
        assert_eq!(missing.state, State::Warning);
    }
}
