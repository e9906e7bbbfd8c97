//! Parses a USB-HID report descriptor and keeps the parts that a link needs (USB HID 1.11, 6.2.2).

use std::collections::BTreeMap;

/// The longest descriptor that the Linux kernel stores, in bytes.
pub(super) const MAX_DESCRIPTOR: usize = 4096;
/// The longest report that is read or written, without its report id, in bytes.
pub(crate) const MAX_REPORT: usize = 4096;
/// The largest number of usage pages (categories of HID) that are kept. A device has one or two.
const MAX_PAGES: usize = 16;
/// The largest number of nested push items. A push item saves the current settings of the descriptor.
const MAX_PUSHED: usize = 16;

/// The parts of a report descriptor that a link needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Usage pages of its collections on the top level.
    pub usage_pages: Vec<u16>,
    /// Each report begins with its number. If not, a read returns only the data of the report, and a write needs 00 before the
    /// data.
    pub numbered: bool,
    /// The length in bits of each report to the device, by report number.
    outputs: BTreeMap<u8, u64>,
}

/// Items that are valid until they are set again.
#[derive(Clone, Copy, Default)]
struct Globals {
    page: u16,
    /// Bits of a field.
    size: u32,
    fields: u32,
    number: u8,
}

impl Descriptor {
    /// Reads a descriptor. If it is cut off or invalid, the items before that point are valid. Bytes after the first 4096 are
    /// ignored.
    pub fn parse(bytes: &[u8]) -> Descriptor {
        let mut rest = &bytes[..bytes.len().min(MAX_DESCRIPTOR)];
        let mut read = Descriptor::default();
        let (mut now, mut pushed, mut depth) = (Globals::default(), Vec::new(), 0u32);
        // The page of a usage of four bytes, which comes before its collection.
        let mut own_page = None;
        while let Some((item, value, behind)) = next(rest) {
            rest = behind;
            match item {
                USAGE_PAGE => now.page = value as u16,
                REPORT_SIZE => now.size = value,
                REPORT_COUNT => now.fields = value,
                REPORT_ID => {
                    now.number = value as u8;
                    read.numbered |= now.number != 0;
                }
                PUSH if pushed.len() < MAX_PUSHED => pushed.push(now),
                POP => now = pushed.pop().unwrap_or(now),
                USAGE if value > 0xffff => own_page = own_page.or(Some((value >> 16) as u16)),
                OUTPUT => {
                    let bits = read.outputs.entry(now.number).or_default();
                    *bits = bits.saturating_add(u64::from(now.size) * u64::from(now.fields));
                }
                COLLECTION => {
                    let page = own_page.unwrap_or(now.page);
                    if depth == 0 && read.usage_pages.len() < MAX_PAGES && !read.usage_pages.contains(&page) {
                        read.usage_pages.push(page);
                    }
                    depth = depth.saturating_add(1);
                }
                COLLECTION_END => depth = depth.saturating_sub(1),
                _ => {}
            }
            // A main item ends the local items.
            if matches!(item, INPUT | OUTPUT | FEATURE | COLLECTION | COLLECTION_END) {
                own_page = None;
            }
        }
        read
    }

    /// Returns the length in bytes of the report to the device with this number (0 if the device does not number its reports),
    /// without the number itself. 0 means that the device has no such report. The result is at most 4096.
    pub fn output(&self, number: u8) -> usize {
        let bits = self.outputs.get(&number).copied().unwrap_or(0);
        usize::try_from(bits.div_ceil(8)).unwrap_or(MAX_REPORT).min(MAX_REPORT)
    }
}

// The first byte of an item without the two bits of its length: tag and type.
const INPUT: u8 = 0x80;
const OUTPUT: u8 = 0x90;
const FEATURE: u8 = 0xb0;
const COLLECTION: u8 = 0xa0;
const COLLECTION_END: u8 = 0xc0;
const USAGE_PAGE: u8 = 0x04;
const REPORT_SIZE: u8 = 0x74;
const REPORT_ID: u8 = 0x84;
const REPORT_COUNT: u8 = 0x94;
const PUSH: u8 = 0xa4;
const POP: u8 = 0xb4;
const USAGE: u8 = 0x08;
/// A long item: its length is in the second byte. No long item has been defined.
const LONG: u8 = 0xfe;

/// Returns the first item, its value, and the bytes after it; `None` at the end.
fn next(bytes: &[u8]) -> Option<(u8, u32, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if first == LONG {
        let (&length, rest) = rest.split_first()?;
        return Some((LONG, 0, rest.get(1 + usize::from(length)..)?));
    }
    let length = [0, 1, 2, 4][usize::from(first & 3)];
    let (value, rest) = rest.split_at_checked(length)?;
    let value = value.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
    Some((first & !3, value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A descriptor with a vendor's usage page and unnumbered reports of 64 bytes in both directions.
    const PLAIN: &[u8] = &[
        0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x40, 0x09, 0x01, 0x81, 0x02,
        0x09, 0x02, 0x91, 0x02, 0xc0,
    ];

    #[test]
    fn usage_pages_and_report_lengths_are_read() {
        let read = Descriptor::parse(PLAIN);
        assert_eq!((read.usage_pages.as_slice(), read.numbered, read.output(0), read.output(1)), (&[0xff00][..], false, 64, 0));
        // The descriptor holds a keyboard, then numbered reports: 1 is read, 33 with two bytes and three more bits is written.
        // It also holds push and pop, an inner collection, and a usage with its own page.
        let other = [
            &[0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0xc0][..],
            &[0x0b, 0x01, 0x00, 0x00, 0xff, 0xa1, 0x01, 0x05, 0x09, 0xa1, 0x02, 0xc0],
            &[0x85, 0x01, 0x75, 0x08, 0x95, 0x3f, 0x81, 0x02, 0xa4, 0x85, 0x21, 0x95, 0x02, 0x91, 0x02],
            &[0x75, 0x01, 0x95, 0x03, 0x91, 0x02, 0xb4, 0x91, 0x02, 0xc0],
        ];
        let read = Descriptor::parse(&other.concat());
        assert_eq!((read.usage_pages.as_slice(), read.numbered), (&[0x0001, 0xff00][..], true));
        assert_eq!([0, 1, 0x21].map(|number| read.output(number)), [0, 63, 3]);
    }

    #[test]
    fn damaged_descriptors_do_no_harm() {
        for cut in 0..PLAIN.len() {
            let read = Descriptor::parse(&PLAIN[..cut]);
            assert_eq!(read.usage_pages.is_empty(), cut < 7, "{cut}");
            assert_eq!(read.output(0), if cut < 24 { 0 } else { 64 }, "{cut}");
        }
        // The input holds long items, also at the end, reports above all bounds, more push items than are stored, and pop items
        // without a push.
        let bound = |bytes: &[u8]| {
            let read = Descriptor::parse(bytes);
            read.usage_pages.len() <= MAX_PAGES && (0..=255).all(|number| read.output(number) <= MAX_REPORT)
        };
        assert_eq!(Descriptor::parse(&[&[0xfe, 0x02, 0x10, 0xa1, 0xa1][..], PLAIN].concat()), Descriptor::parse(PLAIN));
        assert_eq!(Descriptor::parse(&[0xfe, 0x40, 0x10, 0xa1]), Descriptor::default());
        let huge = [0x77, 0xff, 0xff, 0xff, 0xff, 0x97, 0xff, 0xff, 0xff, 0xff, 0x91, 0x02].repeat(300);
        assert_eq!(Descriptor::parse(&huge).output(0), MAX_REPORT);
        assert!(bound(&[0xa4; 5000]) && bound(&[0xb4; 5000]) && bound(&[0xc0; 5000]));
        // Every collection has a different page.
        let pages: Vec<u8> = (0..255).flat_map(|page| [0x05, page, 0xa1, 0x01, 0xc0]).collect();
        assert_eq!(Descriptor::parse(&pages).usage_pages.len(), MAX_PAGES);
        let mut chance = fastrand::Rng::with_seed(7);
        for _ in 0..20_000 {
            let noise: Vec<u8> = (0..chance.usize(0..64)).map(|_| chance.u8(..)).collect();
            assert!(bound(&noise), "{noise:x?}");
        }
    }
}
