//! The pages for browsers and their server: it serves the files of `web/` and copies MQTT between the pages and the broker
//! (`src/screens/README.md`).
//!
//! One machine of a hall serves the pages for all. They have a thread of their own: twenty screens receive megabytes each second, and
//! the daemon must not wait for a phone.

mod config_json;
mod export;
mod files;
mod headers;
mod hosts;
mod logins;
mod relay;
mod router;
mod session;
mod tokens;
mod way;

pub use config_json::Public;
pub use export::export;
pub use way::Broker;

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use anyhow::{Context, Result, anyhow};
use tokio::sync::watch;

use self::logins::Logins;
use self::relay::Relay;
use crate::config::{self, Config};
use crate::http::{self, Certificate, Service};
use crate::strangers::{Limits, Listener, Places};

/// The largest numbers of connections: those that have not logged in, with pages and pages that are about to log in, and pages that have.
/// Half of the latter may be one user's with a role, and all visitors together have what users with roles leave.
const PLACES: Limits =
    Limits { waiting: 256, waiting_of_network: 128, clients: 200, clients_of_user: 100, clients_of_network: 200, readers: 200 };

/// The server while it runs.
pub struct Running {
    /// Its address.
    pub address: SocketAddr,
    certificate: Option<Arc<Certificate>>,
    places: Arc<Places>,
    logins: Arc<Logins>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

/// Starts the server on a thread of its own. `own_broker` is the address of the broker in this program, if pages shall use that one.
///
/// # Errors
/// The address is used by another program, a file of the configuration cannot be read, or there is no thread.
pub fn start(config: &Config, own_broker: Option<SocketAddr>) -> Result<Running> {
    let screens = &config.screens;
    let certificate = certificate(screens)?.map(|config| Arc::new(Certificate::new(config)));
    let (stop, stopped) = watch::channel(false);
    let broker = Broker::new(&config.mqtt, own_broker)?;
    let (places, logins) = (Places::new(Listener::Screens, PLACES), Arc::new(Logins::new(config)));
    let relay = Relay { broker, logins: Arc::clone(&logins), stop: stopped.clone() };
    let routes = router::routes(config, relay)?;
    let service = Service {
        places: Arc::clone(&places),
        one_request: false,
        certificate: certificate.clone(),
        trusted_proxies: screens.trusted_proxies.clone().into(),
    };
    let (began, begins) = mpsc::sync_channel(1);
    let listen = screens.listen.clone();
    let thread = std::thread::Builder::new()
        .name("screens".to_owned())
        .spawn(move || serve(&listen, routes, service, stopped, began))
        .context("the thread of the screens")?;
    let address = begins.recv().map_err(|_| anyhow!("the thread of the screens ended at once"))??;
    tracing::info!("screens on {}://{address}", if certificate.is_some() { "https" } else { "http" });
    Ok(Running { address, certificate, places, logins, stop, thread })
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Running {
    /// Takes users and certificate of a configuration that was read again. Pages of users whose password or rights have changed log in
    /// again. A certificate that cannot be read is logged, and the former one stays.
    pub fn reload(&self, config: &Config) {
        self.places.close_users(&self.logins.reload(config));
        let Some(used) = &self.certificate else { return };
        match certificate(&config.screens) {
            Ok(Some(new)) => used.replace(new),
            Ok(None) => tracing::warn!("screens: TLS goes on with the former certificate until the next start"),
            Err(error) => tracing::error!("screens: the former certificate stays: {error:#}"),
        }
    }

    /// Closes all connections and waits for the thread. It blocks for a moment.
    pub fn stop(self) {
        // This fails only if the thread has ended.
        _ = self.stop.send(true);
        if self.thread.join().is_err() {
            tracing::error!("the thread of the screens had panicked");
        }
    }
}

fn certificate(screens: &config::Screens) -> Result<Option<rustls::ServerConfig>> {
    let (Some(chain), Some(key)) = (&screens.certificate_file, &screens.key_file) else { return Ok(None) };
    config::tls_server(chain, key).map(Some).map_err(|(key, why)| anyhow!("screens.{key}: {why}"))
}

fn serve(
    listen: &str,
    routes: axum::Router,
    service: Service,
    mut stopped: watch::Receiver<bool>,
    began: mpsc::SyncSender<Result<SocketAddr>>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            // Nobody waits if the start was given up.
            _ = began.send(Err(error).context("the runtime of the screens"));
            return;
        }
    };
    runtime.block_on(async {
        let listener = http::bind("screens.listen", listen).and_then(|listener| http::serve(listener, routes, service));
        let (address, listener) = match listener {
            Ok(running) => (Ok(running.address), Some(running)),
            Err(error) => (Err(error.into()), None),
        };
        // Nobody waits if the start was given up.
        _ = began.send(address);
        let Some(listener) = listener else { return };
        // The sender is gone if nobody holds the server any more.
        _ = stopped.wait_for(|stop| *stop).await;
        listener.stop().await;
    });
}
