//! A bluetoothd that hangs.

use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use super::Bluez;

/// Longer than any test hangs it.
const LONGEST: Duration = Duration::from_secs(120);

/// Some while it hangs; dropped, it goes on.
pub(super) type Frozen = Mutex<Option<SyncSender<()>>>;

impl Bluez {
    /// Now it hangs: its name stays on the bus, it answers nothing and tells nothing, and the boards stand still. What is asked
    /// of it meanwhile it answers afterwards. All that changes what is around waits for [`Bluez::thaw`].
    pub(crate) fn freeze(&self) {
        let (thaw, thawed) = sync_channel::<()>(0);
        let (begin, begun) = sync_channel(1);
        // It has one thread for all that it does.
        self.handle.spawn(async move {
            let _ = begin.send(());
            let _ = thawed.recv_timeout(LONGEST);
        });
        begun.recv().expect("it runs");
        *self.frozen.lock().expect("no one panics with it") = Some(thaw);
    }

    /// It goes on, if it hangs.
    pub(crate) fn thaw(&self) {
        drop(self.frozen.lock().expect("no one panics with it").take());
    }
}
