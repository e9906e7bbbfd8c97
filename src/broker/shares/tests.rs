use super::*;

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

#[test]
fn retained_topics_are_counted_for_their_owner() {
    let (mut shares, limits) = (Shares::default(), Class::Writer.limits());
    let topics: Vec<String> = (0..=limits.retained).map(|number| format!("t/{number}")).collect();
    let (last, others) = topics.split_last().expect("topics");
    assert!(others.iter().all(|topic| shares.retain("pi-1", &limits, topic, 1)));
    assert!(!shares.retain("pi-1", &limits, last, 1), "one too many");
    assert!(shares.retain("pi-1", &limits, &others[0], 2), "a topic is replaced");
    assert!(shares.retain("pi-2", &limits, last, 1), "another user has a share of its own");
    assert!(shares.retain("pi-1", &limits, &others[0], 0) && shares.retain("pi-1", &limits, "another", 1));
    // A topic belongs to who wrote last.
    assert!(shares.retain("pi-2", &limits, "another", 1) && shares.retain("pi-1", &limits, "one more", 1));
    assert!(!shares.retain("pi-1", &limits, "too many", 1));
    for owned in shares.retained.values() {
        assert_eq!(owned.bytes, owned.topics.values().sum::<usize>());
    }
}

#[test]
fn bytes_of_retained_topics_are_bounded() {
    let (mut shares, limits) = (Shares::default(), Class::Writer.limits());
    let half = limits.retained_bytes / 2 - 10;
    assert!(shares.retain("pi-1", &limits, "a", half) && shares.retain("pi-1", &limits, "b", half));
    assert!(!shares.retain("pi-1", &limits, "c", 100) && !shares.retain("pi-1", &limits, "a", half + 100));
    assert!(shares.retain("pi-1", &limits, "a", 0) && shares.retain("pi-1", &limits, "c", half));
}

#[test]
fn sessions_are_kept_for_few_clients_of_a_user_in_a_network() {
    let mut shares = Shares::default();
    let now = MonotonicTime(0);
    for (class, kept) in [(Class::Reader, 0), (Class::Commander, 8), (Class::Writer, 8)] {
        let (user, limits) = (format!("{class:?}"), class.limits());
        let clients: Vec<String> = (0..20).map(|number| format!("client-{number}")).collect();
        let count = clients.iter().filter(|client| shares.keep(&user, HERE, client, &limits, now)).count();
        let counted = shares.sessions.keys().filter(|(of, ..)| *of == user).count();
        assert_eq!((count, counted), (kept, kept), "{class:?}");
        assert_eq!(shares.may_keep(&user, HERE, "client-0", &limits, now), kept > 0, "the same one again");
        let later = now.after(SESSION_EXPIRY);
        assert_eq!(shares.may_keep(&user, HERE, "another", &limits, later), kept > 0, "after a day");
    }
}

#[test]
fn all_addresses_of_one_network_keep_few_sessions() {
    let (mut shares, limits) = (Shares::default(), Class::Writer.limits());
    let kept = (0..1_000u16).filter(|host| {
        let address = IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, *host]);
        shares.keep("pi-1", address, &host.to_string(), &limits, MonotonicTime(0))
    });
    assert_eq!(kept.count(), limits.sessions);
    assert!(shares.may_keep("pi-2", HERE, "another", &limits, MonotonicTime(0)));
}

/// Over however many connections something is sent, no user gets more than its requests, readers share theirs among their networks, and the
/// share is whole again when the others have gone.
#[test]
fn requests_are_shared_among_users_and_networks() {
    let reader = |host: usize| IpAddr::from([0x2001, 0xdb8, 0, host as u16, 0, 0, 0, 1]);
    for (class, senders, each) in [
        (Class::Publisher, 1, 2_000),
        (Class::Writer, 1, 2_000),
        (Class::Commander, 1, 500),
        (Class::Reader, 1, 100),
        (Class::Reader, 4, 50),
        (Class::Reader, 40, 5),
    ] {
        let mut shares = Shares::default();
        let mut send =
            |sender: usize, now: u64| shares.admit(class, &format!("user-{sender}"), reader(sender), REQUEST, MonotonicTime(now));
        let mut sent = vec![0; senders];
        for now in (0..8_000_000).step_by(5_000) {
            for (sender, sent) in sent.iter_mut().enumerate() {
                // Each of some connections tries it again and again.
                let admitted = (0..12).filter(|_| send(sender, now).is_ok()).count();
                *sent += if now < 4_000_000 { 0 } else { admitted };
            }
        }
        let (least, most) = (4 * each - 1 - each / 10, 4 * each + 1 + each / 10);
        assert!(sent.iter().all(|sent| (least..=most).contains(sent)), "{class:?}, {senders}: {sent:?}");
        let rate = class.limits().requests.expect("a limit") as usize;
        let at_once = (0..rate).take_while(|_| send(0, 9_000_000).is_ok()).count();
        assert!((rate / 4..=rate / 4 + 2).contains(&at_once), "{class:?}, {senders}: {at_once}");
    }
    let mut shares = Shares::default();
    assert!((0..10_000).all(|_| shares.admit(Class::Daemon, "pi-1", HERE, REQUEST, MonotonicTime(0)).is_ok()));
}

/// A packet that costs more than the share of a second delays the next ones until it is paid, and nobody else.
#[test]
fn a_large_packet_delays_its_own_user_alone() {
    let mut shares = Shares::default();
    let mut send = |user: &str, price, seconds: u64| {
        shares.admit(Class::Commander, user, HERE, price, MonotonicTime(seconds * 1_000_000)).map_err(|wait| wait.as_secs())
    };
    assert_eq!(send("anna", 3 * 500 * REQUEST, 0), Ok(()));
    assert_eq!((send("anna", REQUEST, 0), send("ben", REQUEST, 0)), (Err(1), Ok(())));
    assert_eq!((send("anna", REQUEST, 2), send("anna", REQUEST, 3)), (Err(0), Ok(())));
}
