use super::*;

const LIMITS: Limits =
    Limits { waiting: 256, waiting_of_network: 32, clients: 600, clients_of_user: 300, clients_of_network: 64, readers: 400 };

#[cfg(feature = "broker")]
#[test]
fn there_are_fewer_places_where_there_are_few_descriptors() {
    let table = [
        (0, [2, 1, 2, 1, 1, 0]),
        (64, [8, 4, 24, 12, 12, 16]),
        (256, [48, 24, 144, 64, 64, 96]),
        (1024, [192, 32, 576, 64, 64, 384]),
        (4096, [256, 32, 600, 64, 64, 400]),
        (usize::MAX, [256, 32, 600, 64, 64, 400]),
    ];
    for (descriptors, [waiting, waiting_of_network, clients, clients_of_user, clients_of_network, readers]) in table {
        let limits = Limits { waiting, waiting_of_network, clients, clients_of_user, clients_of_network, readers };
        assert_eq!(Limits::for_descriptors(descriptors), limits, "{descriptors}");
    }
}

fn places() -> Arc<Places> {
    Places::new(Listener::Broker, LIMITS)
}

fn is_empty(places: &Places) -> bool {
    let taken = places.taken();
    taken.waiting.is_empty() && taken.clients.is_empty()
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([10, 0, 0, last])
}

#[test]
fn one_address_cannot_take_the_places_of_others() {
    let places = places();
    let arbiter = places.enter(address(1));
    let flood: Vec<_> = (0..5_000).map(|_| places.enter(address(2))).collect();
    let open: Vec<usize> = (0..flood.len()).filter(|number| flood[*number].is_there()).collect();
    assert_eq!(open, (5_000 - LIMITS.waiting_of_network..5_000).collect::<Vec<_>>(), "the oldest make room");
    assert!(arbiter.is_there() && arbiter.log_in(Some("anna"), false) && arbiter.is_logged_in());
}

#[test]
fn all_addresses_of_one_network_have_one_share() {
    let places = places();
    let of = |host: u16| places.enter(IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, host]));
    let flood: Vec<_> = (0..5_000).map(of).collect();
    assert_eq!(flood.iter().filter(|place| place.is_there()).count(), LIMITS.waiting_of_network);
}

#[test]
fn many_addresses_together_are_bounded_and_the_one_with_most_makes_room() {
    let places = places();
    let of_many: Vec<_> = (0..LIMITS.waiting_of_network).map(|_| places.enter(address(0))).collect();
    let others: Vec<_> = (1..=224).map(|last| places.enter(address(last))).collect();
    assert_eq!(places.taken().waiting.len(), LIMITS.waiting);
    let newest = places.enter(address(250));
    assert_eq!(places.taken().waiting.len(), LIMITS.waiting);
    assert!(!of_many[0].is_there() && of_many[1].is_there());
    drop((others, newest, of_many));
    assert!(is_empty(&places));
}

/// Visitors and an arbiter have one address: whoever asks for something stays before whoever is silent.
#[test]
fn a_connection_that_asks_outlasts_silent_ones_of_its_address() {
    let places = places();
    let asking: Vec<_> = (0..10).map(|_| places.enter(address(1))).collect();
    asking.iter().for_each(|place| place.asked(address(1)));
    asking[0].asked(address(1));
    let silent: Vec<_> = (0..1_000).map(|_| places.enter(address(1))).collect();
    assert!(asking.iter().all(|place| place.is_there()));
    silent.iter().for_each(|place| place.asked(address(1)));
    assert_eq!(places.taken().waiting.len(), LIMITS.waiting_of_network);
    // Behind a proxy each visitor counts for itself.
    let proxied: Vec<_> = (0..200).map(|_| places.enter(address(9))).collect();
    for (place, last) in proxied.iter().rev().take(LIMITS.waiting_of_network).zip(100..) {
        place.asked(address(last));
    }
    assert_eq!(proxied.iter().filter(|place| place.is_there()).count(), LIMITS.waiting_of_network);
    assert_eq!(shares(&places.taken().waiting, |_| true)[&address(100)].0, 1);
}

/// The place of a client that has logged in at this address, if there is one.
fn log_in(places: &Arc<Places>, from: IpAddr, user: &str, only_reads: bool) -> Option<Arc<Place>> {
    let place = places.enter(from);
    place.log_in(Some(user), only_reads).then_some(place)
}

#[test]
fn one_user_cannot_take_all_places_of_clients() {
    let (places, here) = (places(), IpAddr::from([127, 0, 0, 1]));
    let fill = |from, user, only_reads| std::iter::from_fn(|| log_in(&places, from, user, only_reads)).collect::<Vec<_>>();
    let annas = fill(address(1), "anna", false);
    assert_eq!(annas.len(), LIMITS.clients_of_network, "from one address");
    let pages = fill(here, "anna", false);
    assert_eq!(annas.len() + pages.len(), LIMITS.clients_of_user, "pages of this machine's server");
    let v6 = |host: u16| places.enter(IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, host]));
    let screens: Vec<_> = (0..100).map(v6).filter(|place| place.log_in(Some("screen"), true)).collect();
    assert_eq!(screens.len(), LIMITS.clients_of_network, "from one network");
    let walls = fill(here, "wall", true);
    assert_eq!(annas.len() + pages.len() + screens.len() + walls.len(), LIMITS.clients);
    let ben = log_in(&places, address(1), "ben", false).expect("a reader makes room");
    drop(annas);
    let readers = fill(here, "wall", true).len() + screens.len() + walls.len();
    assert!(readers > LIMITS.clients - LIMITS.clients_of_user && readers <= LIMITS.readers, "{readers}");
    places.close_users(&["ben".to_owned()]);
    assert!(!ben.is_there());
}

#[test]
fn readers_hold_no_place_against_others_or_against_a_network_with_fewer() {
    let limits = Limits { clients: 300, clients_of_user: 150, readers: 200, ..LIMITS };
    let places = Places::new(Listener::Broker, limits);
    let guest = |from: u8| log_in(&places, address(from), "public", true);
    let guests: Vec<_> = (0..200).map(|number| guest(number / 20).expect("a place")).collect();
    assert!(guest(0).is_none(), "nobody has more than this address");
    let visitor = guest(99).expect("an address without one");
    assert!(!guests[0].is_there() && visitor.is_there());
    let of_others = |user: &'static str| (0..4).flat_map(move |last| (0..50).map(move |_| (address(last), user)));
    let clients: Vec<_> =
        of_others("anna").chain(of_others("ben")).filter_map(|(from, user)| log_in(&places, from, user, false)).collect();
    assert_eq!(clients.len(), 2 * limits.clients_of_user, "from the guests' own addresses");
    assert!(places.taken().clients.values().all(|client| !client.only_reads) && guest(98).is_none());
    drop((guests, visitor, clients));
    assert!(is_empty(&places));
}

#[test]
fn few_clients_may_be_behind_and_the_network_with_most_makes_room() {
    let places = places();
    let log_in = |last, user, only_reads| log_in(&places, address(last), user, only_reads).expect("a place");
    let (honest, anna) = (log_in(1, "wall", true), log_in(2, "anna", false));
    let slow: Vec<_> = (0..40).map(|number| log_in(2, "wall", number % 2 == 0)).collect();
    for place in [&honest].into_iter().chain(&slow) {
        place.falls_behind(true);
    }
    let there = slow.iter().map(|place| place.is_there()).collect::<Vec<_>>();
    assert_eq!(there, [vec![false; 40 - MAX_BEHIND + 1], vec![true; MAX_BEHIND - 1]].concat(), "the oldest leave");
    assert!(honest.is_there() && anna.is_there());
    slow[39].falls_behind(false);
    let behind = || places.taken().clients.values().filter(|client| client.is_behind).count();
    assert_eq!(behind(), MAX_BEHIND - 1);
    drop((honest, slow));
    assert_eq!(behind(), 0);
}
