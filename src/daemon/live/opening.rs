//! Opens a station: rebuilds it from its journal, or begins a new session.

use std::sync::Arc;

use anyhow::Result;
use flagfall_protocols::trace::{Audience, Body};

use super::super::acks::Acks;
use super::super::fenced_journal::FencedJournal;
use super::super::network;
use super::super::output_router::OutputRouter;
use super::super::pgn_rate_limit::PgnRateLimit;
use super::super::shared::{Shared, StationHandle};
use super::super::state_rate_limit::StateRateLimit;
use super::super::station_config::StationConfig;
use super::super::tap::Pictures;
use super::super::timeline::Timeline;
use super::{Live, SINK};
use crate::mqtt::outbox::{Quality, Retained};
use crate::session::anchor;
use crate::session::boot::Start;
use crate::session::recorder::Recorder;
use crate::session::restore::RestoreReport;
use crate::session::station::{AGAIN, StationOutput};
use crate::system_clock;
use crate::wire::alarm::ProgramAlarm;

impl Live {
    /// Rebuilds the station from its journal, or begins a new session. `after_fault`: the station begins again after a panic, and
    /// its link stays as it was.
    ///
    /// # Errors
    /// The journal cannot be opened.
    pub(in super::super) fn open(
        disk: FencedJournal,
        config: &StationConfig,
        shared: &Arc<Shared>,
        handle: &Arc<StationHandle>,
        router: &mut OutputRouter,
        after_fault: bool,
    ) -> Result<Live> {
        let mut out = Vec::new();
        let sink = &mut |output| {
            out.push(output);
            Ok(())
        };
        let start = Start {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            node: shared.node.clone(),
            boot: shared.boot,
            sent: handle.number().map(|number| shared.outbox.last_numbers(number)),
            bound: config.setting.bound,
            until_press: config.setting.until_press,
        };
        let (mut recorder, report) =
            Recorder::start(Box::new(disk), config.limits, &config.setting, &config.session, &start, sink)?;
        // Inputs that came while no station could take them keep their times: the time goes on at the first of them.
        let (opened, wall) = network::read_wall_clock_at(handle);
        anyhow::ensure!(!router.is_replaced(), "another station goes on with this board");
        report_restore(&handle.board, &report);
        recorder.station_mut().set_coalesced(true);
        let standing = recorder.journal().standing();
        // The numbered outputs of the opening are published below, since a journal that cannot be written does not have them.
        let last = numbers_before(&out, standing.last_outs());
        let resumed = || Timeline::new(anchor::resume(standing.last_at, recorder.recorded_anchor(), &wall), opened);
        // A station that replaces another one has the same clock.
        let timeline = handle.timeline().unwrap_or_else(resumed);
        handle.set_timeline(timeline);
        let base = timeline.journal_time(opened);
        router.set_anchor(wall.at(base));
        let acked = Audience::ALL.map(|audience| standing.acked(SINK, audience));
        let first = handle.number().is_none();
        match handle.number() {
            Some(_) => {
                router.catch_up(&config.dir, last);
                router.delete_closed_alerts(&config.setting.board, recorder.station().game());
            }
            None => {
                let number = shared.outbox.add_board(acked, last);
                // An earlier run may have left alarms of the program open.
                for alarm in ProgramAlarm::ALL.into_iter().filter(|_| report.inputs > 0) {
                    let topic = config.setting.board.alert(alarm.id());
                    let deletion = Retained { topic, payload: String::new(), quality: Quality::AtLeastOnce, expiry: None };
                    shared.outbox.publish_board_state(number, deletion);
                }
                handle.set_number(number);
                // The claim may have been received before or after this.
                shared.outbox.hold(number, handle.is_withheld());
            }
        }
        // An earlier run may have left the device online under its own name.
        if let Some(serial) = report.serial.clone().filter(|_| !after_fault) {
            router.device.set_former_serial(serial);
        }
        let now = system_clock::monotonic();
        let mut live = Live {
            timeline,
            rate_limit: StateRateLimit::new(now),
            pgn_rate_limit: PgnRateLimit::default(),
            acks: Acks::new(acked, now),
            shared: Arc::clone(shared),
            handle: Arc::clone(handle),
            raw: config.raw,
            pictures: handle.tap.clone().map(|tap| Pictures::new(tap, config.setting.until_press.live)),
            start,
            boot_before: report.boot,
            flooded: [false; 2],
            logged_left_out: [0; 2],
            unsynced: Arc::default(),
            out: Vec::new(),
            recorder,
        };
        let ended = live.recorder.journal().standing().last_at;
        live.recorder.share(Arc::clone(&live.unsynced), ended);
        live.out = out;
        live.pass_on(router);
        // What comes next changes the live state, and the PGN would wait for it.
        live.publish_pgn(base, live.publishable_pgn(), router);
        // A station that hung had its link, and what arrived meanwhile waits in the inbox, so nothing was missed. A clock that
        // the round was begun with may have no link any more.
        if report.inputs > 0 && (first || after_fault) {
            for link in live.recorder.station().links() {
                live.feed(ended, &Body::Link { link, up: false, cause: "restart" });
            }
        }
        if config.setting.bound.is_some_and(|bound| bound.start.is_some()) && !wall.sync.is_synchronised() {
            tracing::warn!(
                "board {}: this machine's clock is not synchronised, so nobody knows which game begins before `start`: until it \
                 is, every game is published",
                handle.board
            );
        }
        live.feed(base, &Body::Anchor(&wall.json()));
        live.pass_on(router);
        if let Some((action, configuration)) = live.recorder.station().bound().filter(|_| !after_fault) {
            if configuration == Some(router.setup().configuration.as_str()) {
                router.run_action(&action.clone());
            } else {
                tracing::warn!("board {}: its device was bound under another configuration: that is over", handle.board);
            }
        }
        for link in config.links().filter(|_| after_fault) {
            if router.device_on(link).port().is_some() {
                live.feed(live.timeline.journal_time(now), &Body::Link { link, up: true, cause: AGAIN });
            }
        }
        router.publish_device_statuses();
        live.finish_turn(router);
        Ok(live)
    }
}

/// The last number of each audience before these outputs, of which `last` are the last numbers.
fn numbers_before(out: &[StationOutput], mut last: [u64; 3]) -> [u64; 3] {
    for output in out.iter().rev() {
        if let StationOutput::Message(message) = output
            && message.number > 0
        {
            last[message.audience as usize] = message.number - 1;
        }
    }
    last
}

fn report_restore(board: &str, report: &RestoreReport) {
    for damage in &report.damage.described {
        tracing::warn!("board {board}: journal: {damage}");
    }
    for difference in report.verified.differences.iter().take(10) {
        tracing::warn!("board {board}: {difference}");
    }
    if report.other_rules {
        tracing::warn!(
            "board {board}: this round goes on with the rules it was begun with; another profile, guidelines, time control, \
             default time, rulings, observer, calibration_file or clock hold from the next"
        );
    }
    if report.inputs > 0 {
        let (inputs, verified) = (report.inputs, &report.verified);
        tracing::info!(
            "board {board}: goes on after {inputs} inputs; {} outputs compared, {} differ, {} were not sent",
            verified.compared,
            verified.differing,
            report.unsent.len()
        );
    }
}
