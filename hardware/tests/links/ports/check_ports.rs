//! Tests of the list of ports, and of the changes that wake the waiting reactor.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use flagfall_hardware::discover;
use flagfall_hardware::hotplug::Hotplug;
use flagfall_hardware::pty::Pty;
use nix::poll::{PollFd, PollFlags, poll};

use super::support::Folder;

#[test]
fn a_folder_lists_links_to_terminals_once() {
    let folder = Folder::new();
    let ((_one, first), (_two, second)) = (Pty::pair().unwrap(), Pty::pair().unwrap());
    folder.link("b", &first);
    folder.link("a", &first);
    folder.link("c", &second);
    folder.link("dangling", &folder.path().join("nothing"));
    std::fs::write(folder.path().join("file"), "x").unwrap();
    std::fs::create_dir(folder.path().join("directory")).unwrap();
    let folders = [folder.path().to_owned(), folder.path().join("missing")];
    let listed: Vec<(PathBuf, PathBuf)> =
        discover::ports(&folders).into_iter().filter_map(|port| Some((port.path, port.stable?))).collect();
    let mut expected = vec![(first, folder.path().join("a")), (second, folder.path().join("c"))];
    expected.sort();
    assert_eq!(listed, expected, "in order of path, with the first name of each");
    assert_eq!(discover::ports(&folders), discover::ports(&folders));
}

fn wakes(hotplug: &Hotplug, folder: &Path) -> bool {
    let ready = poll(&mut [PollFd::new(hotplug.as_fd(), PollFlags::POLLIN)], 5000_u16).unwrap() > 0;
    hotplug.drain();
    assert!(hotplug.watch(folder), "everything that appears there is reported");
    ready
}

#[test]
fn new_and_removed_links_are_reported() {
    let folder = Folder::new();
    let (_board, path) = Pty::pair().unwrap();
    let later = folder.path().join("serial/by-id");
    let hotplug = Hotplug::new().unwrap();
    assert!(hotplug.watch(&later));
    hotplug.drain();
    std::fs::create_dir(folder.path().join("serial")).unwrap();
    assert!(wakes(&hotplug, &later), "the folder above it came");
    std::fs::create_dir(&later).unwrap();
    assert!(wakes(&hotplug, &later), "it came");
    std::os::unix::fs::symlink(&path, later.join("a")).unwrap();
    assert!(wakes(&hotplug, &later), "a link came");
    std::fs::rename(later.join("a"), later.join("b")).unwrap();
    assert!(wakes(&hotplug, &later), "it moved");
    std::fs::remove_dir_all(&later).unwrap();
    assert!(wakes(&hotplug, &later), "all went");
    std::fs::create_dir(&later).unwrap();
    assert!(wakes(&hotplug, &later), "the link came again");
    std::os::unix::fs::symlink(&path, later.join("a")).unwrap();
    assert!(wakes(&hotplug, &later), "the new folder is watched again");
}
