//! Handles the messages from the broker: commands, and what nodes publish about themselves.

use bytes::BytesMut;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Publish;
use tracing::{debug, warn};

use super::{Phase, Session};
use crate::mqtt::connection::ConnectionEnd;
use crate::mqtt::namesakes::Heard;
use crate::mqtt::packets;
use crate::mqtt::types::Arrived;
use crate::{log_limit, system_clock};

impl Session {
    /// Handles a message. It is acknowledged after it has been handed over. We asked for QoS 1 at most, and for no topic aliases.
    pub(super) fn handle_publish(&mut self, publish: Publish, out: &mut BytesMut) -> Result<(), ConnectionEnd> {
        let bad = |cause: &str| Err(ConnectionEnd::BadPacket(cause.to_owned()));
        let (id, quality) = (publish.pkid, publish.qos);
        if quality == QoS::ExactlyOnce {
            return bad("the broker sent a message at QoS 2, which we did not ask for");
        }
        match str::from_utf8(&publish.topic).map(str::to_owned) {
            Ok(topic) if topic.is_empty() => return bad("the broker sent a message without a topic"),
            Ok(topic) => self.dispatch(&topic, publish),
            Err(_) => return bad("the broker sent a message whose topic is not text"),
        }
        match quality {
            QoS::AtLeastOnce => packets::acknowledge(id, out).map_err(|error| ConnectionEnd::Lost(error.to_string())),
            _ => Ok(()),
        }
    }

    fn dispatch(&mut self, topic: &str, publish: Publish) {
        let Some(rest) = topic.strip_prefix(self.settings.root.as_str()).and_then(|rest| rest.strip_prefix("/1/")) else {
            return;
        };
        if rest.starts_with("cmd/") {
            return self.hand_over_command(topic.to_owned(), publish);
        }
        if ["arbiter/", "live/", "public/"].iter().any(|audience| rest.starts_with(audience)) {
            return self.handle_retained(topic, &publish);
        }
        let mut levels = rest.split('/');
        let (Some("node"), Some(node), Some(leaf), None) = (levels.next(), levels.next(), levels.next(), levels.next()) else {
            return;
        };
        if node == self.settings.node {
            return self.handle_own_status(leaf, &publish);
        }
        let changes = self.claims.handle_message(node, leaf, &publish.payload);
        self.report_claims(changes);
    }

    fn hand_over_command(&mut self, topic: String, publish: Publish) {
        if publish.retain {
            self.state.retained_commands += 1;
            log_limit::warn("a retained command was dropped", &topic);
            return;
        }
        let properties = publish.properties.unwrap_or_default();
        debug!(%topic, "command");
        (self.hooks.command)(Arrived {
            topic,
            payload: publish.payload.to_vec(),
            retain: false,
            response_topic: properties.response_topic,
            correlation: properties.correlation_data.map(|data| data.to_vec()),
        });
    }

    /// Handles a status under our name. It is the retained one of before, which may be of any run; or our new one, which arrives
    /// after the retained messages of all other nodes; or one that has replaced it.
    fn handle_own_status(&mut self, leaf: &str, publish: &Publish) {
        let Some(phase) = self.link.as_ref().map(|link| link.phase).filter(|_| leaf == "status") else { return };
        if publish.retain {
            return self.report_later_start(&publish.payload);
        }
        let now = system_clock::monotonic();
        if self.namesakes.handle(&publish.payload, now) == Heard::Ours && matches!(phase, Phase::Gathering(_)) {
            self.finish_gathering();
        }
        self.check_namesakes(now);
    }

    /// Reports, once, that a retained status is from a start that this one could not know of.
    fn report_later_start(&mut self, retained: &[u8]) {
        if let Some(boot) = self.namesakes.later_start(retained)
            && !std::mem::replace(&mut self.later_start, true)
        {
            warn!(node = %self.settings.node, boot, "an earlier start was not counted on the disk");
            (self.hooks.later_start)(boot);
        }
    }
}
