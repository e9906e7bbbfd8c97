//! Runs `flagfall fleet status`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::cli::event::check::plain;
use crate::config::{self, Config, FleetRole, Mqtt};
use crate::fleet::{self, Report};
use crate::mqtt::{Identity, Keys, read_retained};
use crate::random;
use crate::system_clock;

/// The time between two looks, while something is wrong.
const AGAIN: Duration = Duration::from_millis(500);

/// Show whether every machine of the event is there and works: program, clock, disk, boards, and the broker itself.
///
/// Example: flagfall fleet status event.toml OUT --wait 10
///
/// It only reads. Exit code 0 if everything is right, 1 if not, 78 if the event file is wrong.
#[derive(Args)]
pub(in crate::cli) struct Status {
    /// The event's configuration.
    #[arg(value_name = "EVENT.TOML")]
    event: PathBuf,
    /// The folder that `flagfall fleet make` wrote, for the login. Without it: --config.
    #[arg(value_name = "OUT")]
    out: Option<PathBuf>,
    /// The user of the login from OUT. Not set: the first organiser of the event.
    #[arg(long, value_name = "NAME", requires = "out")]
    user: Option<String>,
    /// A configuration file with a login in its section [mqtt]; a later one lies over the earlier ones. Without any:
    /// /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    config: Vec<PathBuf>,
    /// Wait until everything is right, at most this number of seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=3600))]
    wait: u32,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(super) fn run(self) -> Result<ExitCode> {
        let config = config::load_venue(&self.event)?.config;
        let (mqtt, keys) = match &self.out {
            Some(out) => (login(&config, out, self.user.as_deref())?, Keys::FLEET),
            None => (config::load_default(&self.config)?.config.mqtt, Keys::MQTT),
        };
        let identity = Identity::read(&mqtt, "organiser")?.named_by(keys);
        let client = format!("flagfall-fleet-{}", random::hex(random::UNGUESSABLE).context("a client id")?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let until = system_clock::monotonic().after(Duration::from_secs(self.wait.into()));
        let filters = fleet::filters(&config.mqtt.root);
        let report = loop {
            let messages = runtime.block_on(read_retained(&identity, &client, &filters));
            let report = messages.map(|found| fleet::judge(&config, &found, system_clock::utc(), env!("CARGO_PKG_VERSION")));
            if system_clock::monotonic() >= until || report.as_ref().is_ok_and(|report| report.ok) {
                break report?;
            }
            runtime.block_on(async { tokio::time::sleep(AGAIN).await });
        };
        let mut out = std::io::stdout().lock();
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
            false => print(&report, &mut out)?,
        }
        Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// The login of a user with the files that `flagfall fleet make` wrote.
fn login(config: &Config, out: &Path, user: Option<&str>) -> Result<Mqtt> {
    let mut organisers = config.fleet.user.iter().filter(|(_, user)| user.role == FleetRole::Organiser);
    let user = match (user, organisers.next()) {
        (Some(user), _) => user.to_owned(),
        (None, Some((name, _))) => name.clone(),
        (None, None) => bail!("the event has no organiser: add [fleet.user.NAME] with role = \"organiser\", or name a --user"),
    };
    if !fleet::rights(config).iter().any(|rights| rights.user == user) {
        bail!("the event has no user {user:?}");
    }
    let broker = config.fleet.broker.clone().context("[fleet] has no broker")?;
    Ok(Mqtt {
        host: broker.address,
        port: Some(broker.port),
        root: config.mqtt.root.clone(),
        tls: true,
        ca_file: Some(out.join("ca.pem")),
        password_file: Some(out.join("secrets/passwords").join(&user)),
        user: Some(user),
        ..Mqtt::default()
    })
}

fn print(report: &Report, out: &mut dyn Write) -> Result<()> {
    for node in &report.nodes {
        let mark = if node.problems.is_empty() { "ok " } else { "RED" };
        let version = node.version.as_deref().unwrap_or("-");
        writeln!(out, "{mark}  {}", plain(&format!("{}  {version}  boards {}", node.node, node.boards.join(", "))))?;
        for problem in &node.problems {
            writeln!(out, "     -> {}", plain(problem))?;
        }
    }
    let number = |count: Option<u64>| count.map_or_else(|| "not known".to_owned(), |count| count.to_string());
    let broker = &report.broker;
    let mark = if broker.problems.is_empty() { "ok " } else { "RED" };
    writeln!(out, "{mark}  broker  dropped {}  clients {}", number(broker.dropped), number(broker.clients))?;
    for problem in &broker.problems {
        writeln!(out, "     -> {}", plain(problem))?;
    }
    for stranger in &report.strangers {
        writeln!(out, "not in the event's file: {}", plain(stranger))?;
    }
    let red = report.nodes.iter().filter(|node| !node.problems.is_empty()).count();
    writeln!(out, "{} of {} machines are right.", report.nodes.len() - red, report.nodes.len())?;
    Ok(())
}
