//! A bluetoothd that hangs.

use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use super::Bluez;

/// Longer than any test keeps it frozen.
const LONGEST: Duration = Duration::from_secs(120);

/// Some while bluetoothd hangs. When the value is dropped, bluetoothd runs again.
pub(super) type Frozen = Mutex<Option<SyncSender<()>>>;

impl Bluez {
    /// Makes bluetoothd hang: its name stays on the bus, it sends no answers and no signals, and the boards stand still. It
    /// answers the waiting calls afterwards. Every call that changes the surroundings waits for [`Bluez::thaw`].
    pub(crate) fn freeze(&self) {
        let (thaw, thawed) = sync_channel::<()>(0);
        let (begin, begun) = sync_channel(1);
        // The fake has one thread for all its work.
        self.handle.spawn(async move {
            let _ = begin.send(());
            let _ = thawed.recv_timeout(LONGEST);
        });
        begun.recv().expect("it runs");
        *self.frozen.lock().expect("no thread panics with the lock") = Some(thaw);
    }

    /// Lets bluetoothd run again if it hangs.
    pub(crate) fn thaw(&self) {
        drop(self.frozen.lock().expect("no thread panics with the lock").take());
    }
}
