//! Decides at which round of lichess a round of the event is shown: an id there belongs to one round (`collect/README.md#6`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::body::RoundBody;
use crate::config::Output;

/// The ids at lichess that outputs have used: one for each output and round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LichessRounds(Vec<Used>);

/// The id with which an output shows a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Used {
    event: String,
    round: String,
    output: String,
    id: String,
}

impl LichessRounds {
    /// Sets `lichess_round` of each round: the id that the organiser named, or that of the configuration for the present round, or the
    /// one that was used for it before. Without a name, the last two must not differ. Rounds that were left without an id have none.
    /// Returns why a round is not sent, by rounds.
    pub(super) fn assign(&mut self, output: &Output, bodies: &mut [RoundBody]) -> BTreeMap<String, String> {
        self.0.retain(|used| used.output != output.name || !bodies.iter().any(|body| names_another(body, used)));
        // The organiser takes an id over from another event, such as one of a rehearsal.
        let takes_over =
            |used: &Used, body: &RoundBody| body.event != used.event && body.lichess_round.as_ref() == Some(&used.id);
        self.0.retain(|used| !bodies.iter().any(|body| takes_over(used, body)));
        // A name by the organiser is meant for this round, a key of the configuration for whichever round is the present one.
        let (named, others): (Vec<_>, Vec<_>) = bodies.iter_mut().partition(|body| body.lichess_round.is_some());
        let mut stopped = BTreeMap::new();
        for body in named.into_iter().chain(others) {
            let configured = || Some(output.round.clone()).filter(|id| body.is_current && !id.is_empty());
            let used = self.used(output, body).cloned();
            let named = body.lichess_round.clone();
            let why = match body.lichess_round.take().or_else(configured).or_else(|| used.clone()) {
                // The key may be meant for the next round already.
                Some(id) if named.is_none() && used.as_ref().is_some_and(|used| *used != id) => format!(
                    "lichess: round {} is shown as {}, and the key round names {id}. It is not sent until `flagfall event lichess` says which \
                     of them is its own.",
                    body.round,
                    used.unwrap_or_default()
                ),
                None if !body.is_current => continue,
                None => {
                    "lichess: nobody named the round. Write its id with `flagfall event lichess`, or as the key round.".to_owned()
                }
                Some(id) => match self.owner(&id).filter(|owner| (&owner.event, &owner.round) != (&body.event, &body.round)) {
                    Some(Used { event, round, .. }) => format!(
                        "lichess: {id} shows round {round} of {event}, and an id at lichess belongs to one round. Round {} is not sent: \
                         write its own id with `flagfall event lichess`, or as the key round.",
                        body.round
                    ),
                    None => {
                        self.note(output, body, &id);
                        body.lichess_round = Some(id);
                        continue;
                    }
                },
            };
            stopped.insert(body.round.clone(), why);
        }
        stopped
    }

    fn used(&self, output: &Output, body: &RoundBody) -> Option<&String> {
        self.0.iter().find(|used| is_of(used, output, body)).map(|used| &used.id)
    }

    fn owner(&self, id: &str) -> Option<&Used> {
        self.0.iter().find(|used| used.id == id)
    }

    fn note(&mut self, output: &Output, body: &RoundBody, id: &str) {
        self.0.retain(|used| !is_of(used, output, body));
        let (event, round, output) = (body.event.clone(), body.round.clone(), output.name.clone());
        self.0.push(Used { event, round, output, id: id.to_owned() });
    }
}

fn is_of(used: &Used, output: &Output, body: &RoundBody) -> bool {
    (&used.event, &used.round, &used.output) == (&body.event, &body.round, &output.name)
}

/// Whether the organiser has named another id for the round, so that the one that was used is free again.
fn names_another(body: &RoundBody, used: &Used) -> bool {
    (&body.event, &body.round) == (&used.event, &used.round) && body.lichess_round.as_ref().is_some_and(|id| *id != used.id)
}

#[cfg(test)]
mod tests;
