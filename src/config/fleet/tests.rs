use super::*;

#[test]
fn what_is_no_network_is_refused() {
    for bad in ["192.168.1.0", "192.168.1.0/33", "192.168.1.0/0", "192.168.1.0/+24", "hall/24", "fd00::/129", "/"] {
        assert_eq!(network(bad), None, "{bad}");
    }
}

#[test]
fn a_machine_may_serve_what_the_file_gives_to_it_or_to_nobody() {
    let node = |boards: &[&str]| FleetNode { boards: boards.iter().map(|board| (*board).to_owned()).collect() };
    let nodes = [("pi-01", node(&["1", "2"])), ("pi-02", node(&["3"]))];
    let fleet = Fleet { node: nodes.map(|(name, node)| (name.to_owned(), node)).into(), ..Fleet::default() };
    for (machine, board, may) in [
        ("pi-01", "2", true),
        ("pi-01", "3", false),
        ("pi-02", "3", true),
        ("pi-09", "3", false),
        ("pi-09", "4", true),
        ("pi-0", "1", false),
    ] {
        assert_eq!(fleet.may_serve(machine, board), may, "{machine} {board}");
        assert!(Fleet::default().may_serve(machine, board));
    }
}

#[test]
fn the_network_is_that_around_the_broker() {
    let with = |address: &str, net: Option<&str>| Fleet {
        broker: Some(FleetBroker { name: "hall.local".into(), address: address.into(), port: 8883 }),
        net: net.map(str::to_owned),
        ..Fleet::default()
    };
    assert_eq!(with("192.168.1.10", None).network().as_deref(), Some("192.168.1.0/24"));
    assert_eq!(with("fd00:1::9", None).network().as_deref(), Some("fd00:1::/64"));
    assert_eq!(with("10.1.1.1", Some("10.0.0.0/8")).network().as_deref(), Some("10.0.0.0/8"));
    assert_eq!(Fleet::default().network(), None);
}
