#!/bin/sh
# Runs in the virtual machine: BlueZ with two virtual controllers, a board on the second, the daemon on the first.
# All its messages to the host begin with `vm: `; its files are in /share.
set -u
say() { echo "vm: $*"; }

modprobe hci_vhci
btvirt -l2 -L >/share/btvirt.log 2>&1 &
systemctl start bluetooth
waited=0
while [ ! -d /sys/class/bluetooth/hci1 ] && [ $waited -lt 60 ]; do
    sleep 1
    waited=$((waited + 1))
done
power() {
    dbus-send --system --dest=org.bluez --print-reply "/org/bluez/$1" org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered "variant:boolean:$2" >/dev/null 2>&1
}
for adapter in hci0 hci1; do
    waited=0
    until power $adapter true || [ $waited -ge 60 ]; do
        sleep 1
        waited=$((waited + 1))
    done
    [ $waited -lt 60 ] && say "$adapter is on" || say "$adapter cannot be switched on"
done

board() {
    python3 /share/board.py /share/board.trace DGT_PEGASUS_00017 6e400001-b5a3-f393-e0a9-e50e24dcca9e \
        6e400002-b5a3-f393-e0a9-e50e24dcca9e,6e400003-b5a3-f393-e0a9-e50e24dcca9e >/share/board.log 2>&1 &
    board=$!
}
board

mkdir -p /tmp/flagfall /share/journal
cat >/tmp/flagfall/flagfall.toml <<TOML
[node]
name = "vm"
[journal]
dir = "/tmp/journal"
[broker]
enabled = true
[bluetooth]
adapter = "hci0"
[[board]]
id = "1"
driver = "dgt_pegasus"
bluetooth = "DGT_PEGASUS_00017"
TOML
mkdir -p /tmp/journal
/share/flagfall run --config /tmp/flagfall/flagfall.toml >/share/daemon.log 2>&1 &
daemon=$!

# Waits until the journal has more than $2 lines of the kind $1, for at most $3 seconds.
journal() { cat /tmp/journal/1/* 2>/dev/null; }
await() {
    left=$3
    while [ "$(journal | grep -c " $1 ")" -le "$2" ] && [ "$left" -gt 0 ]; do
        sleep 1
        left=$((left - 1))
    done
    [ "$left" -gt 0 ] || say "not within $3 s: $1"
}
await 'link 0 up' 0 120
say "connected"
left=120
while ! grep -q 'board: played' /share/board.log && [ "$left" -gt 0 ]; do
    sleep 1
    left=$((left - 1))
done
sleep 5
say "$(tail -n 1 /share/board.log)"

# The controller of the board is switched off and on.
power hci1 false
await 'link 0 down' 0 60
say "lost"
power hci1 true
kill "$board"
board
await 'link 0 up' 1 120
[ "$(journal | grep -c ' link 0 up ')" -ge 2 ] && say "connected again" && touch /share/again

kill -TERM "$daemon"
wait "$daemon"
say "the daemon ended with $?"
cp -r /tmp/journal/. /share/journal/
sync
touch /share/done
# An orderly shutdown was seen to hang. The disk is not kept, and qemu ends when the machine reboots.
echo 1 >/proc/sys/kernel/sysrq
echo b >/proc/sysrq-trigger
