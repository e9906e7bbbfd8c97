//! Finds the name of this node.

use std::fs;

use crate::wire::topics;

/// The node's name: the configured one, or one that is made of the host's name.
pub fn node_name(configured: Option<&str>) -> String {
    let host = || fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| fs::read_to_string("/etc/hostname"));
    let name = configured.map_or_else(|| host().unwrap_or_default(), str::to_owned);
    let fit = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.trim().chars().map(fit).take(topics::MAX_NODE).collect();
    if name.is_empty() { "node".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_name_that_topics_allow() {
        let (long, cut) = ("n".repeat(40), "n".repeat(32));
        for (given, name) in [("pi-07", "pi-07"), ("Pi 07.local", "pi-07-local"), ("", "node"), (&long, &cut)] {
            assert_eq!(node_name(Some(given)), name);
        }
        assert!(topics::is_id(&node_name(None)));
    }
}
