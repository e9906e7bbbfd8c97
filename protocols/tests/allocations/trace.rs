//! The lines of a trace are printed without an allocation.

use std::borrow::Cow;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Record, print};

use crate::counting;

/// A busy line must not cost an allocation per read.
#[test]
fn printing_a_bytes_line_allocates_nothing() {
    let bytes = [0x5a; 4096];
    let mut out = String::with_capacity(16 * 1024);
    let mut record =
        Record { seq: u64::MAX, at: Instant(u64::MAX), body: Body::Rx { link: 255, channel: 255, bytes: Cow::Borrowed(&bytes) } };
    let counted = counting::during(|| {
        for seq in 0..1000 {
            record.seq = u64::MAX - seq;
            out.clear();
            print(&record, &mut out).expect("fits");
        }
    });
    assert_eq!(counted, 0);
    assert_ne!(counting::during(|| drop(std::hint::black_box(Box::new(1)))), 0, "the counter must see this allocation");
}
