//! The playing hall: a broker, nodes with their boards, and a machine with the collector.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::outputs::pgn::{Profile, write_round};
use flagfall::outputs::round::Round;

use super::games::{TIME_CONTROL, hands, set_up, settings};
use super::organiser::Organiser;
use super::truth;
use crate::collect::CollectHall;
use crate::lichess::fake::FakeLichess;
use crate::rig::{self, Daemon, Rig, Seat};
use crate::support::mqtt::{Mosquitto, Proxy};
use crate::support::ports::free_address;

/// How large the hall is, and how long the games of the first rounds last.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) nodes: usize,
    pub(super) boards: usize,
    /// The boards play this many times as fast as people.
    pub(super) speed: f64,
    /// The length of the longest games of each round.
    pub(super) rounds: [Duration; 2],
    /// The number of rounds of the event.
    pub(super) of_event: u32,
    /// The delay of the public, seconds.
    pub(super) delay: u32,
}

/// All that is there. The fields end in this order.
pub(super) struct Hall {
    pub(super) size: Size,
    pub(super) collector: Option<Daemon>,
    /// The folder of the collector.
    pub(super) desk: CollectHall,
    /// The address of its pages.
    pub(super) pages: SocketAddr,
    pub(super) organiser: Organiser,
    daemons: Vec<Daemon>,
    rigs: Vec<Rig>,
    pub(super) boards: Vec<PtyBoard>,
    /// Between the collector and lichess.
    pub(super) uplink: Proxy,
    pub(super) lichess: FakeLichess,
    pub(super) broker: Mosquitto,
}

impl Hall {
    /// The organiser has published everything, and the nodes have started. There is no collector yet; its file for the token has this
    /// text.
    pub(super) fn new(size: Size, token: &str, broker: Mosquitto) -> Hall {
        let lichess = FakeLichess::start();
        let uplink = Proxy::new(lichess.port());
        let devices: Vec<String> = (0..size.boards).map(|index| format!("dgt-{:05}", serial(index))).collect();
        let organiser = Organiser::new(broker.port(), size.delay, size.of_event, &devices);
        let rigs: Vec<Rig> = (0..size.nodes).map(|node| node_rig(size, node, broker.port())).collect();
        let start = |(index, rig): (usize, &Rig)| rig.board(&place(index), settings(serial(index)), size.speed);
        let of_node = |index: usize| &rigs[index * size.nodes / size.boards];
        let boards = (0..size.boards).map(|index| start((index, of_node(index)))).collect();
        let daemons = rigs.iter().map(Rig::start).collect();
        let pages = free_address();
        let desk = CollectHall::new(broker.port(), "desk", "");
        desk.add_lines(&format!(
            "[[output]]\nname = \"lichess\"\nkind = \"lichess\"\nurl = \"http://127.0.0.1:{}\"\ntoken_file = {:?}\nevery = 1\n\
             [http]\nlisten = \"{pages}\"\n",
            uplink.port(),
            desk.path("token")
        ));
        std::fs::write(desk.path("token"), token).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(desk.path("token"), mode).expect("a mode");
        Hall { size, collector: None, desk, pages, organiser, daemons, rigs, boards, uplink, lichess, broker }
    }

    /// Kills the collector, if it runs, and starts it again.
    pub(super) fn start_collector(&mut self) {
        self.collector = None;
        self.collector = Some(rig::start("collect", &self.desk.path("collect.toml"), &self.desk.path("log")));
    }

    /// The files with all games of a round.
    pub(super) fn games(&self, round: u32) -> PathBuf {
        self.desk.path(&format!("tree/open26/round-{round}/games.pgn"))
    }

    /// Kills a node, counted from 0, and starts it again with these environment variables.
    pub(super) fn restart_node(&mut self, node: usize, variables: &[(&str, String)]) {
        drop(self.daemons.remove(node));
        self.daemons.insert(node, self.rigs[node].start_with(variables));
    }

    /// The processes of the nodes.
    pub(super) fn node_pids(&self) -> Vec<u32> {
        self.daemons.iter().map(Daemon::pid).collect()
    }

    /// The folder of each board's journal.
    pub(super) fn journals(&self) -> Vec<PathBuf> {
        let rig = |index: usize| &self.rigs[index * self.size.nodes / self.size.boards];
        (0..self.size.boards).map(|index| rig(index).journal(&(index + 1).to_string())).collect()
    }

    /// The board whose Black is absent in a round.
    pub(super) fn forfeit(&self, round: u32) -> Option<usize> {
        (round == 1).then_some(self.size.boards)
    }

    /// The round as it was played.
    pub(super) fn truth(&self, round: u32) -> Round {
        truth::round(round, &self.journals(), self.forfeit(round))
    }

    /// The same as text.
    pub(super) fn pgn(&self, round: u32, profile: Profile) -> String {
        write_round(&self.truth(round), profile)
    }

    /// The hands begin to play a round.
    pub(super) fn play(&self, round: u32) {
        let lasts = self.size.rounds[round as usize - 1].mul_f64(self.size.speed);
        for (number, board) in (1..).zip(&self.boards).filter(|(number, _)| self.forfeit(round) != Some(*number)) {
            board.load(&hands(round, number, lasts)).expect("it runs");
        }
    }

    /// The men are set up again, on every second board from this one on.
    pub(super) fn set_up(&self, first: usize) {
        self.boards.iter().skip(first).step_by(2).for_each(|board| board.load(&set_up()).expect("it runs"));
    }

    /// Ends the programs, which must have met no fault.
    pub(super) fn end(&mut self) {
        let programs = self.collector.take().into_iter().chain(self.daemons.drain(..));
        for (status, _) in programs.map(Daemon::terminate) {
            assert!(status.success(), "{status}");
        }
        for log in self.logs() {
            assert!(!log.contains("panicked") && !log.contains("fault in the program"), "{log}");
        }
    }

    fn logs(&self) -> Vec<String> {
        let desk = std::fs::read_to_string(self.desk.path("log")).unwrap_or_default();
        self.rigs.iter().map(Rig::log).chain([desk]).collect()
    }
}

impl Drop for Hall {
    #[allow(clippy::print_stderr, reason = "a test that failed prints the collector's log")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.desk.path("log")).unwrap_or_default();
            eprintln!("--- the collector's log\n{log}---");
        }
    }
}

/// The serial number of a board.
fn serial(index: usize) -> u16 {
    101 + index as u16
}

/// The name of a board's place in the node's own configuration: the organiser says which board of the event it is.
fn place(index: usize) -> String {
    format!("place-{index}")
}

fn node_rig(size: Size, node: usize, broker: u16) -> Rig {
    let places: Vec<(usize, String)> =
        (0..size.boards).filter(|index| index * size.nodes / size.boards == node).map(|index| (index, place(index))).collect();
    let seats: Vec<Seat<'_>> = places.iter().map(|(_, id)| Seat { id, time_control: TIME_CONTROL }).collect();
    let rig = Rig::new(broker, "from_meta = true", &seats);
    let mut text = std::fs::read_to_string(rig.config()).expect("a configuration").replace("pi-1", &format!("pi-{}", node + 1));
    for (index, id) in &places {
        let line = format!("id = \"{id}\"\n");
        text = text.replace(&line, &format!("{line}serial = \"{:05}\"\n", serial(*index)));
    }
    std::fs::write(rig.config(), text).expect("written");
    rig
}
