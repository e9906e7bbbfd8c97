//! The LiveChess API and the HTTP listener of a running daemon: a game with an emulated board, and hostile clients. There is no broker: a
//! player at home needs none.
#![cfg(feature = "outputs")]

pub(crate) mod client;
mod collector;
mod hostile;
mod lila;
mod many;
mod played;

use std::net::SocketAddr;

use self::client::Client;
use crate::rig::{Daemon, Rig, Seat};
use crate::support::ports::{free_address, free_port};

/// A page that is allowed by default.
const PAGE: &str = "https://lichess.org";

/// A daemon with one board that offers the API.
struct Offered {
    rig: Rig,
    daemon: Daemon,
    api: SocketAddr,
}

impl Offered {
    fn start() -> Offered {
        let api = free_address();
        let rig = Rig::new(free_port(), "", &[Seat { id: "b1", time_control: "300" }]);
        rig.add(&format!("[livechess]\nenabled = true\nlisten = [\"{api}\"]\n"));
        let daemon = rig.start();
        client::wait_for_listener(api);
        Offered { rig, daemon, api }
    }

    fn connect(&self) -> Client {
        Client::open(self.api, Some(PAGE)).unwrap_or_else(|answer| panic!("{answer}"))
    }

    /// Ends the daemon, which must have met no fault.
    fn stop(self) {
        let (status, _) = self.daemon.terminate();
        let log = self.rig.log();
        assert!(status.success() && !log.contains("panicked") && !log.contains("fault of the program"), "{status}: {log}");
    }
}
