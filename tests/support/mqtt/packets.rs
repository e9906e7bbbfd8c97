//! Recorded bytes as MQTT 5 packets: enough to see what was published and what was acknowledged.

/// A whole packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    Connect { clean: bool, client_id: String },
    Publish { id: Option<u16>, topic: String, payload: String },
    PubAck { id: u16 },
    Other(u8),
}

/// The whole packets of a stream; an incomplete packet at the end is left out.
pub(crate) fn packets(bytes: &[u8]) -> Vec<Packet> {
    packets_with_ends(bytes).into_iter().map(|(_, packet)| packet).collect()
}

/// Like [`packets`], each with the offset of its end.
pub(crate) fn packets_with_ends(bytes: &[u8]) -> Vec<(usize, Packet)> {
    let (mut rest, mut all) = (bytes, Vec::new());
    while let Some((first, body, after)) = split_packet(rest) {
        all.push((bytes.len() - after.len(), parse_packet(first, body)));
        rest = after;
    }
    all
}

/// The first byte and the body of a packet, and the bytes behind it.
fn split_packet(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (length, used) = variable_integer(bytes.get(1..)?)?;
    let (start, end) = (1 + used, 1 + used + length);
    Some((bytes[0], bytes.get(start..end)?, bytes.get(end..)?))
}

/// A variable byte integer and its length.
fn variable_integer(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0;
    for (place, byte) in bytes.iter().take(4).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((value, place + 1));
        }
    }
    None
}

fn u16_at_start(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}

fn parse_packet(first: u8, body: &[u8]) -> Packet {
    match first >> 4 {
        1 => {
            let (length, used) = variable_integer(&body[10..]).expect("properties");
            let id = &body[10 + used + length..];
            let client_id = String::from_utf8_lossy(&id[2..2 + usize::from(u16_at_start(id))]).into_owned();
            Packet::Connect { clean: body[7] & 2 != 0, client_id }
        }
        3 => {
            let (topic, mut rest) = body[2..].split_at(u16_at_start(body).into());
            let id = (first & 0b110 != 0).then(|| u16_at_start(rest));
            rest = if id.is_some() { &rest[2..] } else { rest };
            let (length, used) = variable_integer(rest).expect("properties");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Packet::Publish { id, topic: text(topic), payload: text(&rest[used + length..]) }
        }
        4 => Packet::PubAck { id: u16_at_start(body) },
        _ => Packet::Other(first),
    }
}
