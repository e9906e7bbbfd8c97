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
