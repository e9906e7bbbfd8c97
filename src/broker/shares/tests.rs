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

/// Whatever is sent over however many connections, no user gets more than its requests, and readers share theirs among their networks.
#[test]
fn requests_are_shared_among_users_and_networks() {
    let reader = |host: u16| IpAddr::from([0x2001, 0xdb8, 0, host, 0, 0, 0, 1]);
    for (class, senders, most, least) in [
        (Class::Collector, 1, 2_000, 2_000),
        (Class::Writer, 1, 2_000, 2_000),
        (Class::Commander, 1, 100, 100),
        (Class::Reader, 1, 100, 100),
        (Class::Reader, 4, 50, 50),
        (Class::Reader, 40, 5, 5),
        (Class::Reader, 1_000, 1, 1),
        (Class::Daemon, 1, u32::MAX, 10_000),
    ] {
        let mut shares = Shares::default();
        // Each sender may send its next packet at this time.
        let mut free = vec![MonotonicTime(0); senders];
        let mut sent = vec![0; senders];
        // All have begun before the second that counts.
        let (begin, end) = (MonotonicTime(10_000_000), MonotonicTime(11_000_000));
        for now in (9_000_000..11_000_000).step_by(1_000).map(MonotonicTime) {
            for sender in 0..senders {
                let mut packets = 0;
                while free[sender] <= now && packets < 10 {
                    let pause = shares.pause_after(class, "one", reader(sender as u16), REQUEST, now);
                    free[sender] = now.after(pause);
                    sent[sender] += u32::from(now >= begin && now < end);
                    packets += 1;
                }
            }
        }
        // A pause ends at a step, and what came at once is counted before.
        let near = |sent: &&u32| **sent >= least - least / 20 && **sent <= most.saturating_add(most / 20).saturating_add(1);
        assert!(sent.iter().filter(near).count() == senders, "{class:?}, {senders}: {sent:?}");
    }
}
