//! Starts everything that the demonstration needs, and reports whether all messages arrived.

use std::collections::BTreeMap;
use std::io::{IsTerminal, stdout};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

#[cfg(feature = "screens")]
use super::browser;
use super::logins::{ARBITER, OVERLAY, SCREEN};
use super::show::Show;
use super::simulated_hall::{Listen, SimulatedHall};
use super::subscriber::{self, Login, SubscriberEvent};
use super::terminal::Terminal;
#[cfg(feature = "outputs")]
use crate::cli::collect;
#[cfg(feature = "outputs")]
use crate::cli::local::{Local, bind_livechess, serve_livechess};
#[cfg(any(feature = "outputs", feature = "screens"))]
use crate::config;
use crate::daemon::Daemon;
#[cfg(feature = "screens")]
use crate::screens;

/// The time limit for boards and subscribers to become ready.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// Play two games on emulated boards and show what subscribers and arbiters receive.
///
/// Nothing is needed: no board, no broker, no configuration. Two boards are emulated on pseudo-terminals; the daemon opens
/// them as it would a cable, records them, and publishes to the broker in this program; two ordinary MQTT clients subscribe.
/// The collector writes the games as PGN to a file that stays.
/// On board 1 White makes a last move, does not press the clock, and the flag falls.
///
/// Example: flagfall demo --once --speed 2
#[derive(Args)]
pub(crate) struct Demo {
    /// End after the games; exit code 0 only if everything arrived.
    #[arg(long)]
    once: bool,
    /// The speed, as a multiple of people's speed, 0.1 to 2. A board is not read faster than that.
    #[arg(long, default_value_t = 1.0, value_name = "X")]
    speed: f64,
    /// The delay of the public audience in seconds.
    #[arg(long, default_value_t = 5, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=60))]
    delay: u64,
    /// Where the broker listens for MQTT, so that you can subscribe too; port 0 takes any that is free.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT")]
    tcp: String,
    /// Where it listens for MQTT over WebSocket.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT")]
    websocket: String,
    /// Where the pages for browsers are served, on this machine.
    #[cfg(feature = "screens")]
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT", value_parser = loopback)]
    screens: String,
    /// Open the pages in the browser of this desktop.
    #[cfg(feature = "screens")]
    #[arg(long)]
    open: bool,
    /// Offer the boards to programs on this machine over the LiveChess API, at 127.0.0.1:1982 or at another address of this
    /// machine.
    #[cfg(feature = "outputs")]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true, value_parser = loopback,
        default_missing_value = "127.0.0.1:1982")]
    serve: Option<String>,
    /// Print one line for each event, as without a terminal.
    #[arg(long)]
    plain: bool,
    /// No colour.
    #[arg(long)]
    no_color: bool,
}

impl Demo {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let picture = stdout().is_terminal() && !self.plain;
        if !picture {
            tracing_subscriber::fmt().with_max_level(tracing::Level::WARN).with_writer(std::io::stderr).with_target(false).init();
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the network's runtime")?;
        runtime.block_on(self.play(picture))
    }

    async fn play(self, picture: bool) -> Result<ExitCode> {
        let hall = SimulatedHall::set_up(self.speed.clamp(0.1, 2.0))?;
        let delay = Duration::from_secs(self.delay);
        #[cfg(feature = "outputs")]
        let livechess = self.serve.clone();
        #[cfg(not(feature = "outputs"))]
        let livechess: Option<String> = None;
        #[cfg(feature = "screens")]
        let screens = self.screens.clone();
        #[cfg(not(feature = "screens"))]
        let screens = String::new();
        let listen = Listen { tcp: self.tcp.clone(), websocket: self.websocket.clone(), livechess: livechess.clone(), screens };
        let loaded = hall.configuration(listen, delay);
        #[cfg(feature = "outputs")]
        let (local, bound) = (Local::default(), bind_livechess(&loaded.config)?);
        let daemon = Daemon::start(&loaded).await?;
        #[cfg(feature = "outputs")]
        local.show_daemon(&loaded.config, &daemon);
        #[cfg(feature = "outputs")]
        let api = serve_livechess(bound, &local.hall)?;
        let broker = daemon.broker().context("the broker did not start")?;
        let (tcp, websocket, here) = (broker.tcp, broker.websocket, broker.local);
        let (stop, stopped) = oneshot::channel::<()>();
        // The daemon also stops if this end is dropped.
        let serving = tokio::spawn(daemon.run(async { drop(stopped.await) }));

        let (news, mut news_receiver) = mpsc::channel(256);
        let inside = vec!["flagfall/1/arbiter/#".to_owned(), "flagfall/1/live/#".to_owned(), "flagfall/1/device/#".to_owned()];
        let login = |user| Login { broker: tcp, user, password: hall.logins.password(user).to_owned() };
        let public = vec!["flagfall/1/public/#".to_owned()];
        let screen = tokio::spawn(subscriber::run("demo-screen", login(SCREEN), public, news.clone()));
        let arbiter = tokio::spawn(subscriber::run("demo-arbiter", login(ARBITER), inside, news));

        #[cfg(feature = "screens")]
        let pages = screens::start(&loaded.config, Some(here))?;
        let mut show = Show {
            locks: BTreeMap::new(),
            view: hall.view(picture && !self.no_color),
            check: hall.check(),
            terminal: picture.then(Terminal::default),
            #[cfg(feature = "screens")]
            opening: None,
            #[cfg(feature = "outputs")]
            pgn: None,
        };
        #[cfg(feature = "outputs")]
        let collector = collect::start_beside(&loaded.config, Some(here), &local)?;
        #[cfg(feature = "outputs")]
        {
            show.pgn = Some(hall.pgn_file());
        }
        let logins = [ARBITER, OVERLAY, SCREEN].map(|user| format!("{user} {}", hall.logins.password(user))).join(", ");
        match &mut show.terminal {
            None => {
                let websocket = websocket.map_or(String::new(), |at| format!("; WebSocket at ws://{at}/mqtt"));
                show.line(&format!("MQTT at {tcp}, topics flagfall/1/#{websocket}"))?;
                show.line(&format!("Logins of this run: {logins}"))?;
                #[cfg(feature = "screens")]
                show.line(&format!("Screens at http://{0}/, for arbiters at http://{0}/arbiter/", pages.address))?;
                if let Some(address) = livechess {
                    show.line(&format!("LiveChess API at ws://{address}/api/v1.0"))?;
                }
                #[cfg(feature = "outputs")]
                show.line(&format!("PGN of the round: {}", hall.pgn_file().path.display()))?;
            }
            Some(terminal) => {
                #[cfg(feature = "screens")]
                terminal.add(format!("Pages: http://{0}/   Arbiters: http://{0}/arbiter/", pages.address));
                terminal.add(format!("Logins: {logins}"));
                let local = livechess.map(|address| format!("LiveChess API at ws://{address}/api/v1.0"));
                let local = local.or(websocket.map(|at| format!("WebSocket at ws://{at}/mqtt")));
                terminal.add([Some(format!("MQTT at {tcp}")), local].into_iter().flatten().collect::<Vec<_>>().join(", "));
            }
        }
        #[cfg(feature = "screens")]
        if self.open {
            match browser::open(&format!("http://{}/", pages.address)) {
                Ok(opening) => show.opening = Some(opening),
                Err(trouble) => show.note(&trouble)?,
            }
        }
        timeout(READY_WITHIN, ready(&mut news_receiver, &hall, &mut show))
            .await
            .context("boards and subscribers are not there")??;
        hall.play()?;
        let missing = show.until_all_arrived(&hall, &mut news_receiver, delay).await?;
        if !self.once && missing.is_empty() {
            show.play_on(&hall, &mut news_receiver, &login(ARBITER)).await?;
        }
        show.terminal = None;
        screen.abort();
        arbiter.abort();
        // The collector ends first, since it publishes its end to the broker.
        #[cfg(feature = "outputs")]
        tokio::task::spawn_blocking(|| collector.stop()).await.context("the collector")?;
        #[cfg(feature = "screens")]
        tokio::task::spawn_blocking(|| pages.stop()).await.context("the screens")?;
        // This fails only if the daemon has ended by itself.
        let _ = stop.send(());
        serving.await.context("the daemon")??;
        #[cfg(feature = "outputs")]
        if let Some(api) = api {
            api.stop().await;
        }
        if hall.impossible() > 0 {
            anyhow::bail!("{} hand motions could not be done", hall.impossible());
        }
        if missing.is_empty() {
            show.line("everything arrived")?;
        }
        #[cfg(feature = "outputs")]
        show.line(&format!("The games are in {}", hall.pgn_file().path.display()))?;
        if missing.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        for what in missing {
            show.line(&format!("missing: {what}"))?;
        }
        Ok(ExitCode::FAILURE)
    }
}

/// An address of this machine and a port, as `livechess.listen` has it.
#[cfg(any(feature = "outputs", feature = "screens"))]
fn loopback(text: &str) -> Result<String, String> {
    config::loopback(text).map(|()| text.to_owned())
}

/// Waits until both subscribers are ready, switches the boards on, and waits until every board answers.
async fn ready(news_receiver: &mut mpsc::Receiver<SubscriberEvent>, hall: &SimulatedHall, show: &mut Show) -> Result<()> {
    let mut seats = 0;
    let mut silent: Vec<String> = hall.boards().map(|id| format!("\"board\":\"demo/1/{id}\"")).collect();
    while seats < 2 || !silent.is_empty() {
        match news_receiver.recv().await {
            Some(SubscriberEvent::Subscribed) => {
                seats += 1;
                if seats == 2 {
                    hall.switch_on()?;
                }
            }
            Some(SubscriberEvent::Message(topic, payload)) => {
                show.handle_message(&topic, &payload)?;
                let text = String::from_utf8_lossy(&payload);
                if topic.contains("/device/") && text.contains("\"state\":\"online\"") {
                    silent.retain(|board| !text.contains(board.as_str()));
                }
            }
            None => break,
        }
    }
    Ok(())
}
