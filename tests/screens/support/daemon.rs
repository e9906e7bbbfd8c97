//! A room with emulated boards: the daemon as a process, which serves the pages, at a broker with users and rules.

use std::net::SocketAddr;

use flagfall::emulate::PtyBoard;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::time::ClockTime;

use super::broker::Broker;
use super::browser::Browser;
use super::room::ROUND;
use super::witness::Witness;
use crate::rig::{Daemon, Rig, Seat};
use crate::support::ports::free_address;
use crate::support::waiting::{PATIENCE, wait_until};

pub(crate) struct Hall {
    #[allow(dead_code, reason = "it ends when it is dropped")]
    daemon: Daemon,
    boards: Vec<PtyBoard>,
    rig: Rig,
    pub(crate) witness: Witness,
    pub(crate) address: SocketAddr,
    #[allow(dead_code, reason = "it ends when it is dropped")]
    broker: Broker,
}

impl Hall {
    /// Boards of these names with their men set up, in this order on the ports of `ports`, and so many seconds on each clock.
    pub(crate) fn new(boards: &[&str], ports: &[&str], seconds: u32) -> Hall {
        let broker = Broker::mosquitto();
        let witness = Witness::new(broker.tcp());
        let time_control = seconds.to_string();
        let seats: Vec<Seat<'_>> = boards.iter().map(|id| Seat { id, time_control: &time_control }).collect();
        let rig = Rig::new(broker.tcp().port(), "delay = 0", &seats);
        let [node, screen] = ["pi-1", "screen-1"].map(|name| rig.password(name));
        let text = std::fs::read_to_string(rig.config()).expect("a configuration");
        let login = format!("mqtt.user = \"pi-1\"\nmqtt.password_file = '{}'\nmqtt.port", node.display());
        std::fs::write(rig.config(), text.replacen("mqtt.port", &login, 1)).expect("a configuration");
        let address = free_address();
        rig.add(&format!(
            "[screens]\nenabled = true\nlisten = \"{address}\"\npublic_user = \"screen-1\"\npublic_password_file = '{}'\n",
            screen.display()
        ));
        let clock = ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(seconds * 1000), ClockTime(0));
        let board = |(number, port): (usize, &&str)| {
            let settings = Settings { clock: Some(clock.clone()), serial: 101 + number as u16, ..Settings::default() };
            rig.board(port, settings, 1.0)
        };
        let emulated = ports.iter().enumerate().map(board).collect();
        let daemon = rig.start();
        let hall = Hall { daemon, boards: emulated, rig, witness, address, broker };
        for board in boards {
            let topic = format!("arbiter/{ROUND}/{board}/state");
            hall.witness.wait("an armed game", &topic, |message| message["body"]["stage"] == "armed");
        }
        let served = || std::net::TcpStream::connect(hall.address).is_ok();
        wait_until("the daemon serves the pages", PATIENCE, served);
        hall
    }

    /// Lets the hands at the board on the port of this number play.
    pub(crate) fn play(&self, number: usize, hands: &str) {
        self.boards[number].load(&Script::parse(hands).expect("a script")).expect("it runs");
    }

    pub(crate) fn browser(&self, test: &'static str) -> Option<Browser> {
        Browser::start(test, self.address)
    }

    /// The log of the daemon.
    #[allow(dead_code, reason = "for looking into a failure")]
    pub(crate) fn log(&self) -> String {
        self.rig.log()
    }
}
