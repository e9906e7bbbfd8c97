#!/bin/sh
# Runs in the virtual machine: BlueZ with two virtual controllers, a board on the second, the daemon on the first. All its messages
# to the host begin with `vm: `; its files are in /share.
set -u
say() { echo "vm: $*"; }
uart=6e400001-b5a3-f393-e0a9-e50e24dcca9e
channel=6e400002-b5a3-f393-e0a9-e50e24dcca9e,6e400003-b5a3-f393-e0a9-e50e24dcca9e
rounds=$(cat /share/rounds)
limit=$(cat /share/limit)

# How slow this machine is: a fixed piece of work.
python3 -c 'import time
began = time.monotonic()
for _ in range(1000000): pass
print(f"{time.monotonic() - began:.2f}")' >/share/loop
say "a loop of 1000000 steps takes $(cat /share/loop) s"

uptime() { cut -d ' ' -f 1 /proc/uptime; }
since() { awk -v began="$1" '{ printf "%.1f", $1 - began }' /proc/uptime; }
# Runs the command of its other arguments every half second until it succeeds, for at most $1 seconds.
within() {
    end=$(($(cut -d . -f 1 /proc/uptime) + $1))
    shift
    until "$@"; do
        [ "$(cut -d . -f 1 /proc/uptime)" -lt "$end" ] || return 1
        sleep 0.5
    done
}
power() {
    dbus-send --system --dest=org.bluez --print-reply "/org/bluez/$1" org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered "variant:boolean:$2" >/dev/null 2>&1
}
power_all() {
    for adapter in hci0 hci1; do
        within 30 power $adapter true || { say "$adapter cannot be switched on"; return 1; }
    done
}

modprobe hci_vhci
if [ -f /share/debug ]; then
    mkdir -p /run/systemd/system/bluetooth.service.d
    printf '[Service]\nExecStart=\nExecStart=/usr/libexec/bluetooth/bluetoothd -d\n' >/run/systemd/system/bluetooth.service.d/debug.conf
    systemctl daemon-reload
fi
# On a busy machine the kernel gives up a controller that does not answer its first command in time. Then all controllers are made
# anew.
tries=5
while [ $tries -gt 0 ]; do
    btvirt -l2 -L >/tmp/btvirt.log 2>&1 &
    controllers=$!
    within 60 test -d /sys/class/bluetooth/hci1
    sleep 5
    systemctl start bluetooth
    power_all && break
    systemctl stop bluetooth
    kill $controllers
    wait $controllers
    tries=$((tries - 1))
done
if [ -f /share/debug ]; then
    btmon -t >/share/btmon.log 2>&1 &
    dbus-monitor --system >/share/dbus.log 2>&1 &
fi

# Starts the board number $1 on the adapter hci$1; the other arguments are options of board.py.
board() {
    number=$1
    shift
    python3 /share/board.py --adapter "hci$number" "$@" /share/board.trace "DGT_PEGASUS_0001$number" $uart $channel \
        >"/share/board$number.log" 2>&1 &
    eval "process$number=$!"
    within 60 grep -q 'board: advertises' "/share/board$number.log" || say "board $number does not advertise"
}
end_board() { eval "kill \$process$1"; }

# Starts the daemon for these boards.
daemon() {
    mkdir -p /tmp/flagfall/journal
    {
        printf '[node]\nname = "vm"\n[log]\nlevel = "debug"\n[journal]\ndir = "/tmp/flagfall/journal"\n'
        printf '[broker]\nenabled = true\n[bluetooth]\nadapter = "hci0"\n'
        for number in "$@"; do
            printf '[[board]]\nid = "%s"\ndriver = "dgt_pegasus"\nbluetooth = "DGT_PEGASUS_0001%s"\n' "$number" "$number"
        done
    } >/tmp/flagfall/flagfall.toml
    /share/flagfall run --config /tmp/flagfall/flagfall.toml >/share/daemon.log 2>&1 &
    daemon=$!
}
end_daemon() {
    kill -TERM "$daemon"
    wait "$daemon"
    say "the daemon ended with $?"
}
journal() { cat /tmp/flagfall/journal/"$1"/*.journal 2>/dev/null; }
ups() { journal "$1" | grep -c ' link 0 up '; }
downs() { journal "$1" | grep -c ' link 0 down '; }
more_downs() { [ "$(downs "$1")" -gt "$2" ]; }
# Whether board $1 has more links than $2 and has answered on the last of them.
answers() {
    [ "$(ups "$1")" -gt "$2" ] && journal "$1" |
        awk '/ link 0 up / { up = 1; found = 0 } / link 0 down / { up = found = 0 } / rx 0 / && up { found = 1 } END { exit !found }'
}
advertises_again() { [ "$(grep -c 'board: advertises at' "/share/board$1.log")" -ge 2 ]; }
# Prints the time of the last advertisement's beginning.
advertised() { sed -n 's/.*board: advertises at //p' "/share/board$1.log" | tail -n 1; }

# Waits until board $2 is back: link $3 and later, counted from the time $4. The result is a line with the scene $1.
back() {
    if within "$limit" answers "$2" "$3"; then
        say "$1: board $2 is back after $(since "$4") s"
        echo "$1 $2 $(since "$4")" >>/share/times
    else
        say "$1: board $2 is not back after $limit s"
        echo "$1 $2 never" >>/share/times
    fi
}
# Waits until the daemon has noticed that board $2 is gone: more losses than $3.
lost() { within 60 more_downs "$2" "$3" || say "$1: the daemon does not notice that board $2 is gone"; }

board 1
daemon 1
began=$(uptime)
back first 1 0 "$began"
within 180 grep -q 'board: played' /share/board1.log
sleep 5
say "$(tail -n 1 /share/board1.log)"
mkdir -p /share/journal
cp -r /tmp/flagfall/journal/. /share/journal/

# The controller of board $2 is switched off and on, and the board begins anew and advertises, in the scene $1. With $3 = `before` the
# board ends before its controller goes; else it ends $3 seconds after its controller is back, when the daemon may be connecting to it,
# so that its services disappear in the middle. The other arguments are options of board.py.
off_and_on() {
    scene=$1 number=$2 ends=$3
    shift 3
    before=$(ups "$number") losses=$(downs "$number")
    [ "$ends" = after ] || end_board "$number"
    power "hci$number" false
    lost "$scene" "$number" "$losses"
    within 60 power "hci$number" true
    [ "$ends" = before ] || { sleep "$ends"; end_board "$number"; }
    board "$number" --until 1.5 "$@"
    back "$scene" "$number" "$before" "$(advertised "$number")"
}
round=1
while [ $round -le "$rounds" ]; do
    off_and_on "off-and-on-$round" 1 "$(((round - 1) % 5 / 2)).$(((round - 1) % 2 * 5))"
    round=$((round + 1))
done
if [ -f /share/scenes ]; then
    off_and_on ended-off-and-on 1 before
    # The services have other handles than before.
    off_and_on other-handles 1 before --services-before 3

    before=$(ups 1)
    losses=$(downs 1)
    power hci0 false
    lost adapter-off 1 "$losses"
    within 60 power hci0 true
    back adapter-off 1 "$before" "$(uptime)"

    before=$(ups 1)
    losses=$(downs 1)
    systemctl restart bluetooth
    # The board registers again by itself.
    lost bluetoothd-restarted 1 "$losses"
    power_all
    within 60 advertises_again 1 || say "board 1 does not advertise again"
    back bluetoothd-restarted 1 "$before" "$(advertised 1)"

fi
end_daemon
journalctl --unit bluetooth --no-pager >/share/bluetoothd.log 2>&1
sync
touch /share/done
# An orderly shutdown was seen to hang. The disk is not kept, and qemu ends when the machine reboots.
echo 1 >/proc/sys/kernel/sysrq
echo b >/proc/sysrq-trigger
