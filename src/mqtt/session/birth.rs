//! Begins a connection: subscribes, publishes `init`, gathers the claims of other nodes, and publishes `ready`.

use std::time::Duration;

use bytes::BytesMut;
use rumqttc::v5::mqttbytes::v5::{ConnAck, SubAck, SubscribeReasonCode};
use tracing::{info, warn};

use super::{Link, Phase, STALL, Session};
use crate::mqtt::claims::ClaimChange;
use crate::mqtt::connection::ConnectionEnd;
use crate::mqtt::ids::Ids;
use crate::mqtt::outbox::Taken;
use crate::mqtt::packets;
use crate::mqtt::types::ConnectionState;
use crate::system_clock::MonotonicTime;
use crate::{log_limit, system_clock};

/// The time limit for receiving the retained messages of other nodes.
const GATHER: Duration = Duration::from_millis(500);
/// The time from the first connection for which boards that read their journals are waited for. A board that needs longer is added later.
const OPEN_WITHIN: Duration = Duration::from_secs(10);
/// The time between two looks whether they have read them.
const OPEN_POLL: Duration = Duration::from_millis(10);

impl Session {
    pub(in super::super) fn begin_connection(&mut self, welcome: &ConnAck, out: &mut BytesMut) {
        let now = system_clock::monotonic();
        let properties = welcome.properties.as_ref();
        let window = properties.and_then(|all| all.receive_max).unwrap_or(u16::MAX).into();
        let largest = properties.and_then(|all| all.max_packet_size).map_or(usize::MAX, |most| most as usize);
        self.claims.connected();
        self.namesakes.connected(now);
        self.outbox.connected(now, window);
        let mut ids = Ids::default();
        for filters in packets::filters(&self.settings) {
            let id = ids.next();
            match packets::subscribe(id, filters.clone(), out) {
                Ok(()) => drop(ids.subscriptions.insert(id, filters)),
                Err(error) => warn!(%error, "a subscription cannot be sent: commands will not be heard"),
            }
        }
        let phase = Phase::Greeting(now.after(STALL));
        self.opens_until.get_or_insert(now.after(OPEN_WITHIN));
        self.found.clear();
        self.link = Some(Link { began: now, ids, largest, phase, progress: now, reads_again: false, farewell: None });
        self.request_retained(out);
        info!(node = %self.settings.node, resumed = welcome.session_present, "connected to the broker");
        self.state = ConnectionState { up: true, ready: false, cause: String::new(), attempts: 0, ..self.state.clone() };
        self.state.retry = Duration::ZERO;
        (self.hooks.connection)(&self.state);
    }

    pub(super) fn handle_subscribed(&mut self, answer: &SubAck, out: &mut BytesMut) -> Result<(), ConnectionEnd> {
        let Some(link) = &mut self.link else { return Ok(()) };
        let Some(filters) = link.ids.subscriptions.remove(&answer.pkid) else {
            return Err(ConnectionEnd::Lost(format!("the broker answers subscription {}, which was not sent", answer.pkid)));
        };
        for (code, filter) in answer.return_codes.iter().zip(filters) {
            if !matches!(code, SubscribeReasonCode::Success(_)) {
                warn!(filter = %filter.path, ?code, "the broker refused a subscription");
            }
        }
        if link.ids.subscriptions.is_empty() {
            self.publish_init(out);
        }
        Ok(())
    }

    /// Publishes `init`, or `ready` if it is still true, and nothing else yet: the claims of other nodes must be known before anything of a
    /// board is sent.
    pub(super) fn publish_init(&mut self, out: &mut BytesMut) {
        let now = system_clock::monotonic();
        let Some(link) = self.link.as_mut().filter(|link| matches!(link.phase, Phase::Greeting(_))) else { return };
        link.phase = Phase::Gathering(now.after(GATHER));
        // Readers receive nothing new from a client that takes over our connection, however often it does.
        self.publish_status(if self.goes_on { "ready" } else { "init" });
        if let Some(Taken::Publication(publication)) = self.outbox.take_next(now) {
            self.send(publication, out);
        }
    }

    /// The claims of other nodes are known.
    pub(super) fn finish_gathering(&mut self) {
        if let Some(link) = &mut self.link {
            link.phase = Phase::Opening(MonotonicTime(0));
        }
        let changes = self.claims.gathered();
        self.report_claims(changes);
    }

    /// Looks whether boards still read their journals. The next look comes soon.
    pub(super) fn wait_for_boards(&mut self, now: MonotonicTime) {
        let waits = self.opens_until.is_some_and(|until| now < until) && (self.hooks.opening)();
        if let Some(link) = &mut self.link {
            link.phase = if waits { Phase::Opening(now.after(OPEN_POLL)) } else { Phase::Open };
        }
        if !waits {
            // A board that begins anew later is not waited for.
            self.opens_until = Some(now);
            self.outbox.mark_birth_end();
            self.judge_retained();
        }
    }

    pub(super) fn report_claims(&mut self, changes: Vec<ClaimChange>) {
        for ClaimChange { board, node, live } in changes {
            if let Some(link) = self.link.as_mut().filter(|_| !live) {
                link.reads_again = true;
            }
            let what =
                if live { "another node claims one of our boards" } else { "another node claims one of our boards no more" };
            log_limit::warn(what, &format_args!("{node} and board {board}"));
            (self.hooks.foreign)(&board, &node, live);
        }
    }

    pub(super) fn finish_birth(&mut self) {
        self.claims.establish();
        self.publish_status("ready");
        self.state.ready = true;
        info!(node = %self.settings.node, "everything that waited is published");
        (self.hooks.connection)(&self.state);
    }
}
