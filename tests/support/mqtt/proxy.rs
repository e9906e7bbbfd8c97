//! A TCP proxy in front of a broker: it records both directions and can cut connections.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use flagfall::system_clock::{self, MonotonicTime};

use super::packets::{Packet, packets, packets_with_ends};
use super::thread;

/// Everything on one connection, in both directions.
#[derive(Default)]
pub(crate) struct Recording {
    /// Bytes from the client to the broker.
    pub(crate) up: Vec<u8>,
    /// Bytes from the broker to the client.
    pub(crate) down: Vec<u8>,
    /// The number of bytes so far with the time, upwards and downwards.
    times: [Vec<(usize, MonotonicTime)>; 2],
}

/// The packets of one connection with their times, those of the client and those of the broker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timed {
    pub(crate) up: Vec<(MonotonicTime, Packet)>,
    pub(crate) down: Vec<(MonotonicTime, Packet)>,
}

struct Wire {
    sockets: [TcpStream; 2],
    recording: Recording,
}

/// The proxy; it cuts all connections when it is dropped.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    broker: u16,
    wires: Mutex<Vec<Wire>>,
    closed: AtomicBool,
    over: AtomicBool,
}

impl Shared {
    fn wires(&self) -> MutexGuard<'_, Vec<Wire>> {
        self.wires.lock().expect("no thread of the proxy panics")
    }

    fn accept(self: &Arc<Shared>, client: TcpStream) -> std::io::Result<()> {
        let broker = TcpStream::connect(("127.0.0.1", self.broker))?;
        client.set_nodelay(true)?;
        broker.set_nodelay(true)?;
        let pumps = [(client.try_clone()?, broker.try_clone()?), (broker.try_clone()?, client.try_clone()?)];
        let mut wires = self.wires();
        let number = wires.len();
        wires.push(Wire { sockets: [client, broker], recording: Recording::default() });
        drop(wires);
        for (up, (from, to)) in [true, false].into_iter().zip(pumps) {
            let shared = self.clone();
            thread("proxy", move || shared.pump(number, up, from, to));
        }
        Ok(())
    }

    fn pump(&self, number: usize, up: bool, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            let mut wires = self.wires();
            let recording = &mut wires[number].recording;
            let bytes_so_far = if up { &mut recording.up } else { &mut recording.down };
            bytes_so_far.extend_from_slice(&bytes[..read]);
            let count = bytes_so_far.len();
            recording.times[usize::from(!up)].push((count, system_clock::monotonic()));
            drop(wires);
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        _ = from.shutdown(Shutdown::Both);
        _ = to.shutdown(Shutdown::Both);
    }
}

impl Proxy {
    /// A proxy in front of the broker at this port of loopback.
    pub(crate) fn new(broker: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let (closed, over) = (AtomicBool::new(false), AtomicBool::new(false));
        let shared = Arc::new(Shared { broker, wires: Mutex::default(), closed, over });
        let acceptor = shared.clone();
        let acceptor = thread("proxy", move || {
            for client in listener.incoming() {
                if acceptor.over.load(Ordering::SeqCst) {
                    return;
                }
                // A client that cannot be served sees its connection close.
                if let (Ok(client), false) = (client, acceptor.closed.load(Ordering::SeqCst)) {
                    _ = acceptor.accept(client);
                }
            }
        });
        Proxy { port, shared, acceptor: Some(acceptor) }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Cuts every connection.
    pub(crate) fn cut(&self) {
        for socket in self.shared.wires().iter().flat_map(|wire| &wire.sockets) {
            _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Cuts every connection and accepts no other until [`Proxy::open`] is called.
    pub(crate) fn close(&self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.cut();
    }

    pub(crate) fn open(&self) {
        self.shared.closed.store(false, Ordering::SeqCst);
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.shared.wires().len()
    }

    /// The packets of the client, by connection.
    pub(crate) fn sent(&self) -> Vec<Vec<Packet>> {
        self.shared.wires().iter().map(|wire| packets(&wire.recording.up)).collect()
    }

    /// Every packet with its time, by connection.
    pub(crate) fn timed(&self) -> Vec<Timed> {
        let timed = |bytes: &[u8], times: &[(usize, MonotonicTime)]| {
            let at = |end: usize| times[times.partition_point(|(count, _)| *count < end)].1;
            packets_with_ends(bytes).into_iter().map(|(end, packet)| (at(end), packet)).collect()
        };
        let one = |Recording { up, down, times }: &Recording| Timed { up: timed(up, &times[0]), down: timed(down, &times[1]) };
        self.shared.wires().iter().map(|wire| one(&wire.recording)).collect()
    }

    /// Topic and payload of all messages that were published at QoS 1 and acknowledged, by connection, in the order of publication.
    pub(crate) fn acknowledged(&self) -> Vec<Vec<(String, String)>> {
        self.shared.wires().iter().map(|wire| acknowledged(&wire.recording)).collect()
    }
}

fn acknowledged(recording: &Recording) -> Vec<(String, String)> {
    // An id is used again only after its acknowledgement: the n-th publication under an id belongs to its n-th acknowledgement.
    let mut answers = BTreeMap::new();
    for packet in packets(&recording.down) {
        if let Packet::PubAck { id } = packet {
            *answers.entry(id).or_insert(0) += 1;
        }
    }
    let mut all = Vec::new();
    for packet in packets(&recording.up) {
        if let Packet::Publish { id: Some(id), topic, payload } = packet
            && let Some(left @ 1..) = answers.get_mut(&id)
        {
            *left -= 1;
            all.push((topic, payload));
        }
    }
    all
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.cut();
        _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(acceptor) = self.acceptor.take() {
            _ = acceptor.join();
        }
    }
}
