//! A line that damages whole messages of a DGT board. A seed selects the damage.

use fastrand::Rng;
use flagfall_protocols::time::Instant;

/// What happens to messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Delete,
    Duplicate,
    Reorder,
    Flip,
    /// The link goes away.
    Cut,
}

impl Damage {
    pub(crate) const ALL: [Damage; 5] = [Damage::Delete, Damage::Duplicate, Damage::Reorder, Damage::Flip, Damage::Cut];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Damage::Delete => "a message is lost",
            Damage::Duplicate => "a message comes twice",
            Damage::Reorder => "two messages are exchanged",
            Damage::Flip => "a bit is inverted",
            Damage::Cut => "the link goes away",
        }
    }
}

/// The line between board and driver.
pub(crate) struct Line {
    rng: Rng,
    damage: Damage,
    share: f64,
    /// The beginning of a message whose end has not come.
    begun: Vec<u8>,
    /// A message that comes after the next one.
    held: Option<Vec<u8>>,
}

impl Line {
    pub(crate) fn new(seed: u64, damage: Damage, share: f64) -> Line {
        let rng = Rng::with_seed(seed.wrapping_mul(5) + damage as u64);
        Line { rng, damage, share, begun: Vec::new(), held: None }
    }

    /// The pieces that arrive for these bytes.
    pub(crate) fn carry(&mut self, _at: Instant, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.begun.extend_from_slice(bytes);
        let mut arrived = Vec::new();
        while let Some(length) = message_length(&self.begun).filter(|length| *length <= self.begun.len()) {
            let message: Vec<u8> = self.begun.drain(..length).collect();
            self.carry_message(message, &mut arrived);
        }
        arrived
    }

    fn carry_message(&mut self, mut message: Vec<u8>, arrived: &mut Vec<Vec<u8>>) {
        let hit = self.rng.f64() < self.share;
        match self.damage {
            Damage::Delete if hit => return,
            Damage::Duplicate if hit => arrived.push(message.clone()),
            Damage::Flip if hit => {
                let byte = self.rng.usize(0..message.len());
                message[byte] ^= 1 << self.rng.u8(0..8);
            }
            Damage::Reorder if hit && self.held.is_none() => {
                self.held = Some(message);
                return;
            }
            _ => {}
        }
        arrived.push(message);
        arrived.extend(self.held.take());
    }

    /// The times in seconds at which the link goes away, and for how long, about once in `1 / share` seconds.
    pub(crate) fn gaps(&mut self, from: f64, until: f64) -> impl Iterator<Item = (f64, f64)> + use<> {
        let (mut rng, share) = (self.rng.fork(), self.share);
        let mut at = from;
        std::iter::from_fn(move || {
            at += 2.0 * rng.f64() / share;
            let lasts = 0.3 + rng.f64() * rng.f64() * 15.0;
            let gap = (at, lasts);
            at += lasts + 5.0;
            (at < until).then_some(gap)
        })
    }
}

/// The length of the message that these bytes begin; a byte that begins none is passed on alone.
fn message_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [kind, ..] if kind & 0x80 == 0 => Some(1),
        [_, high, low, ..] => Some((usize::from(high & 0x7f) << 7 | usize::from(low & 0x7f)).max(3)),
        _ => None,
    }
}
