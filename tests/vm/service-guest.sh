#!/bin/sh
# Runs in the virtual machine: installs the package and makes the proofs that are named in /share/proofs. All its messages to the host
# begin with `vm: `. The host plugs the board when it is asked to.
set -u
say() { echo "vm: $*"; }
proof() { # number, result, text
    say "proof $1: $2: $3"
    echo "$1 $2 $3" >>/share/result
}
# How slow this machine is: a fixed piece of work. Bounds are for half a second and grow with it.
loop=$(python3 -c 'import time
began = time.monotonic()
for _ in range(1000000): pass
print(f"{time.monotonic() - began:.2f}")')
say "a loop of 1000000 steps takes $loop s"
# Whether $1 seconds are at most $2 on a machine that needs half a second for the loop.
in_time() { awk "BEGIN { exit !($1 <= $2 * ($loop > 0.5 ? $loop / 0.5 : 1)) }"; }
uptime() { cut -d ' ' -f 1 /proc/uptime; }
since() { awk -v began="$1" '{ printf "%.1f", $1 - began }' /proc/uptime; }
# Runs a command every half second until it succeeds, for at most $1 seconds.
within() {
    end=$(($(cut -d . -f 1 /proc/uptime) + $1))
    shift
    until "$@"; do
        [ "$(cut -d . -f 1 /proc/uptime)" -lt "$end" ] || return 1
        sleep 0.5
    done
}
ask() { echo "$1" >/share/ask.new; mv /share/ask.new /share/ask; within 30 no_question; }
no_question() { [ ! -e /share/ask ]; }
verdict() { if [ "$1" = 0 ]; then echo holds; else echo FAILED; fi; }
property() { systemctl show -P "$1" flagfall; }
# How many lines of the subscriber fit.
seen() { grep -ac "$1" /share/messages 2>/dev/null; }
# Waits for one more line that fits, at most $2 seconds.
one_more() {
    before=$(seen "$1")
    within "$2" more_than "$1" "$before"
}
more_than() { [ "$(seen "$1")" -gt "$2" ]; }
online() { tail -n 200 /share/messages | grep -a "/device/.*/status .*\"state\":\"online\"" | tail -n 1 | grep -aq "$1"; }
moves='/live/.*/move '
ready='/node/.*/status .*"state":"ready"'

mkdir -p /var/lib/flagfall
mount /dev/vdb /var/lib/flagfall
printf 'listener 1883\nallow_anonymous true\nmax_queued_messages 0\n' >/etc/mosquitto/conf.d/vm.conf
echo '127.0.0.1 localhost' >>/etc/hosts
systemctl start mosquitto
while :; do
    mosquitto_sub -h 127.0.0.1 -V 5 -q 1 -i watch -c -x 86400 -t 'flagfall/1/#' -F '%t %p' >>/share/messages 2>>/share/subscriber.log
    sleep 1
done &

began=$(uptime)
dpkg -i /share/flagfall.deb >/share/dpkg.log 2>&1 || proof 1 FAILED "dpkg: $(tail -n 1 /share/dpkg.log)"
say "installed in $(since "$began") s"
# The disk belongs to root when it is new.
chown flagfall: /var/lib/flagfall
cat >/etc/flagfall/event.toml <<'TOML'
[event]
id = "vm"
round = "1"
time_control = "18000"
[mqtt]
host = "127.0.0.1"
[[board]]
id = "12"
serial = "24012"
TOML
chown root:flagfall /etc/flagfall/event.toml
chmod 640 /etc/flagfall/event.toml

start() {
    began=$(uptime)
    systemctl start flagfall
    started=$?
    took=$(since "$began")
}
plugged() { [ -c /dev/ttyUSB0 ] || [ -c /dev/ttyUSB1 ]; }
leave() {
    # What is published after the copy would be in no journal.
    systemctl stop flagfall
    cp -r /var/lib/flagfall /share/journals 2>/dev/null
    journalctl -u flagfall --no-pager >>/share/flagfall.log 2>&1
    sync
    touch /share/done
    echo 1 >/proc/sys/kernel/sysrq
    echo b >/proc/sysrq-trigger
    sleep 60
}

exposure() { systemd-analyze security flagfall 2>/dev/null | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p'; }

prove_1() {
    before="$(systemctl is-enabled flagfall) $(property ActiveState)"
    start
    score=$(exposure)
    say "systemd calls the loaded unit $score"
    [ "$before" = "enabled inactive" ] && [ "$started" = 0 ] && [ "$(property ActiveState)" = active ] && in_time "$took" 10 && awk "BEGIN { exit !($score <= 1.7) }"
    proof 1 "$(verdict $?)" "before the start $before; ready after $took s, exposure $score"
}

# Gives the loopback interface one more address.
address() {
    python3 -c 'import fcntl, socket, struct, sys
request = struct.pack("16sH2x4s8x", sys.argv[1].encode(), socket.AF_INET, socket.inet_aton(sys.argv[2]))
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8916, request)' "$1" "$2"
}
connect_to() { sed -i "s/^host = .*/host = \"$1\"/" /etc/flagfall/event.toml; systemctl restart flagfall; }
# The settings for a hall: the broker's address alone, and a password that only root can read.
prove_hall() {
    address lo:1 192.168.1.10
    address lo:2 192.168.1.11
    mkdir -p /etc/systemd/system/flagfall.service.d
    sed 's/^#LoadCredential/LoadCredential/' /share/hall.conf >/etc/systemd/system/flagfall.service.d/hall.conf
    (umask 077; echo secret >/etc/flagfall/mqtt.password)
    mosquitto_passwd -b -c /etc/mosquitto/users pi-12 secret
    chown mosquitto /etc/mosquitto/users
    echo 'password_file /etc/mosquitto/users' >>/etc/mosquitto/conf.d/vm.conf
    cp -p /etc/flagfall/event.toml /etc/flagfall/without-hall
    sed -i 's|^host = .*|host = ""\ninsecure = true\nuser = "pi-12"\npassword_file = "/run/credentials/flagfall.service/mqtt.password"|' /etc/flagfall/event.toml
    systemctl daemon-reload
    systemctl restart mosquitto
    sleep 2
    before=$(seen "$ready")
    connect_to 192.168.1.11
    sleep 20
    [ "$(seen "$ready")" = "$before" ]
    refused=$?
    connect_to 192.168.1.10
    within 60 more_than "$ready" "$before"
    linked=$?
    one_more "$moves" 120
    moved=$?
    user=$(tail -n 40 /var/log/mosquitto/mosquitto.log 2>/dev/null | grep -c "u'pi-12'")
    score=$(exposure)
    [ $linked = 0 ] || journalctl -u flagfall --no-pager -n 12 | sed 's/^/vm: /'
    [ $refused = 0 ] && [ $linked = 0 ] && [ $moved = 0 ] && awk "BEGIN { exit !($score <= 1.6) }"
    proof 2-hall "$(verdict $?)" "another address is refused ($(verdict $refused)), the broker's is not ($(verdict $linked), logins with the password: $user), a move ($(verdict $moved)), exposure $score"
    rm /etc/systemd/system/flagfall.service.d/hall.conf
    mv /etc/flagfall/without-hall /etc/flagfall/event.toml
    systemctl daemon-reload
    systemctl restart flagfall
}

prove_2() {
    ask plug
    within 60 plugged
    udevadm settle
    rights=$(stat -c '%a %G' /dev/ttyUSB0)
    links=$(ls /dev/flagfall 2>/dev/null | tr '\n' ' ')
    latency=$(cat /sys/class/tty/ttyUSB0/device/latency_timer)
    one_more "$moves" 120
    moved=$?
    [ "$rights" = "660 dialout" ] && [ -n "$links" ] && [ "$latency" = 1 ] && [ $moved = 0 ]
    proof 2 "$(verdict $?)" "rights $rights, names $links, latency timer $latency, a move at the broker: $(verdict $moved)"
    prove_hall
    within 60 online ttyUSB0
}

prove_3() {
    # As long as another program has the old name open, the board comes back under another one.
    python3 -c 'import os, time; os.open("/dev/ttyUSB0", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK); time.sleep(60)' &
    holder=$!
    sleep 2
    ask unplug
    sleep 3
    began=$(uptime)
    ask plug
    within 60 online ttyUSB1
    back=$?
    took=$(since "$began")
    kill $holder
    one_more "$moves" 120
    moved=$?
    [ $back = 0 ] && [ $moved = 0 ]
    proof 3 "$(verdict $?)" "online again as ttyUSB1 $took s after the plug ($(verdict $back)), a move after it ($(verdict $moved))"
}

restarted() { [ "$(property NRestarts)" -gt "$1" ] && [ "$(property ActiveState)" = active ]; }
prove_4() {
    restarts=$(property NRestarts)
    began=$(uptime)
    kill -STOP "$(property MainPID)"
    within 90 restarted "$restarts"
    again=$?
    took=$(since "$began")
    one_more "$moves" 120
    moved=$?
    [ $again = 0 ] && [ $moved = 0 ]
    proof 4 "$(verdict $?)" "active again $took s after it was stopped, a move after it ($(verdict $moved)); the numbers follow"
}

# Seconds between the end of the old process and the readiness of the new one.
down() { echo "$(property ActiveExitTimestampMonotonic) $(property ActiveEnterTimestampMonotonic)" | awk '{ printf "%.1f", ($2 - $1) / 1e6 }'; }
game() { grep -a "$moves" /share/messages | tail -n 1 | sed -n 's/.*"game":"\([^"]*\)".*/\1/p'; }
prove_6() {
    played=$(game)
    result=0
    own=$(dpkg-deb -f /share/flagfall.deb Version)
    for file in later flagfall; do
        process=$(property MainPID)
        dpkg -i "/share/$file.deb" >>/share/dpkg.log 2>&1 || result=1
        [ "$(property MainPID)" != "$process" ] || { say "the old program goes on"; result=1; }
        version=$(dpkg-query -W -f '${Version}' flagfall)
        [ "$file $version" = "later 999-1" ] || [ "$file $version" = "flagfall $own" ] || result=1
        gap=$(down)
        one_more "$moves" 120 || result=1
        say "version $version: down for $gap s, game $(game)"
        { [ -n "$played" ] && [ "$(game)" = "$played" ] && in_time "$gap" 3; } || result=1
    done
    proof 6 "$(verdict $result)" "upgrade and downgrade in the middle of game $played"
}

# Says what the doctor finds about the folder of the journals $1.
doctor_says() {
    printf '[journal]\ndir = "%s"\n' "$1" >/tmp/journal.toml
    flagfall doctor --config /etc/flagfall/event.toml --config /tmp/journal.toml 2>&1 | grep 'storage:'
}
# The root is an overlay in memory over the disk, and the journals have a partition of their own.
prove_7() {
    root=$(stat -f -c %T /)
    start
    ask plug
    one_more "$moves" 180
    moved=$?
    own=$(doctor_says /var/lib/flagfall)
    over=$(doctor_says /var/lib)
    mkdir -p /mnt/memory
    mount -t tmpfs memory /mnt/memory
    memory=$(doctor_says /mnt/memory)
    [ "$root" = overlayfs ] && [ $moved = 0 ] && [ -z "$own" ] && echo "$over" | grep -q 'in memory' && echo "$memory" | grep -q 'in memory'
    proof 7 "$(verdict $?)" "root: $root, a move ($(verdict $moved)); the doctor about journals on a partition: '${own}'; on the overlay: '${over}'; on a tmpfs: '${memory}'"
}

prove_8() {
    mkdir -p /etc/mosquitto/certs
    cp /share/tls.crt /share/tls.key /etc/mosquitto/certs/
    chown mosquitto /etc/mosquitto/certs/tls.key
    printf 'listener 8883 127.0.0.1\ncertfile /etc/mosquitto/certs/tls.crt\nkeyfile /etc/mosquitto/certs/tls.key\n' \
        >>/etc/mosquitto/conf.d/vm.conf
    systemctl restart mosquitto
    cp /share/tls.crt /etc/flagfall/
    sed -i 's|^host = .*|host = "localhost"\ntls = true\nca_file = "/etc/flagfall/tls.crt"|' /etc/flagfall/event.toml
    # systemd moves a clock that is older than itself to the day on which it was built.
    behind=$(($(cat /share/now) / 86400 - $(date +%s) / 86400))
    start
    # Long enough for the pauses between the attempts to grow.
    sleep 20
    before=$(seen "$ready")
    date -s "@$(cat /share/now)" >/dev/null
    began=$(uptime)
    within 60 more_than "$ready" "$before"
    linked=$?
    took=$(since "$began")
    [ "$behind" -gt 1 ] && [ "$before" = 0 ] && [ $linked = 0 ] && in_time "$took" 5
    proof 8 "$(verdict $?)" "clock $behind days behind, $before links with a certificate of today; linked $took s after the clock was set ($(verdict $linked))"
}

prove_9() {
    fallocate -l "$(df --output=avail -B 1 /var/lib/flagfall | tail -n 1)" /var/lib/flagfall/filler 2>/dev/null ||
        dd if=/dev/zero of=/var/lib/flagfall/filler bs=1M 2>/dev/null
    say "the disk has $(df --output=avail -m /var/lib/flagfall | tail -n 1) MiB left"
    one_more "$moves" 120
    moved=$?
    # Moves need little room, so the journal may not have noticed yet.
    within 90 more_than '"journal_ok":false' 0
    noticed=$?
    within 30 more_than '/arbiter/.*"kind":"not_recorded"' 0
    alarm=$?
    one_more "$moves" 120
    still=$?
    rm /var/lib/flagfall/filler
    one_more '"journal_ok":true' 150
    recovered=$?
    [ $moved = 0 ] && [ $noticed = 0 ] && [ $alarm = 0 ] && [ $still = 0 ] && [ $recovered = 0 ]
    proof 9 "$(verdict $?)" "moves with a full disk ($(verdict $moved), $(verdict $still)), journal_ok false seen ($(verdict $noticed)), the arbiters' alarm ($(verdict $alarm)), journal_ok true again ($(verdict $recovered))"
}

prove_10() {
    lines=$(journalctl -u flagfall --no-pager | wc -l)
    ask flood
    sleep 60
    ask unplug
    more=$(($(journalctl -u flagfall --no-pager | wc -l) - lines))
    active=$(property ActiveState)
    # What the machine took; a slow one takes less than is offered.
    bytes=$(sed -n 's/^sent //p' /share/cable.log | tail -n 1)
    ask plug
    one_more "$moves" 120
    moved=$?
    [ "$more" -lt 200 ] && [ "$active" = active ] && [ "${bytes:-0}" -ge 100000 ] && [ $moved = 0 ]
    proof 10 "$(verdict $?)" "$more lines in the journal after ${bytes:-0} bytes of noise at the port, $(property NRestarts) restarts, a move after it ($(verdict $moved))"
}

# The alarm of a Raspberry Pi's firmware, in the folder where the kernel shows it.
prove_11() {
    mkdir -p /sys/class/hwmon
    mount -t tmpfs voltage /sys/class/hwmon
    mkdir /sys/class/hwmon/hwmon0
    echo rpi_volt >/sys/class/hwmon/hwmon0/name
    echo 1 >/sys/class/hwmon/hwmon0/in0_lcrit_alarm
    systemctl restart flagfall
    within 150 more_than '/node/.*/health .*"under_voltage":true' 0
    low=$?
    echo 0 >/sys/class/hwmon/hwmon0/in0_lcrit_alarm
    one_more '/node/.*/health .*"under_voltage":false' 150
    high=$?
    umount /sys/class/hwmon
    [ $low = 0 ] && [ $high = 0 ]
    proof 11 "$(verdict $?)" "under_voltage true in node/health ($(verdict $low)), false again ($(verdict $high))"
}

case $(cat /share/proofs) in
    cut)
        start
        ask plug
        one_more "$moves" 180 || proof 5 FAILED "no move after a power cut"
        say "moves again; the power is cut in $(cat /share/cut-after) s"
        sleep "$(cat /share/cut-after)"
        ask cut
        sleep 60
        ;;
    last)
        start
        ask plug
        one_more "$moves" 180
        proof 5 "$(verdict $?)" "a move after the last power cut"
        leave
        ;;
    *)
        for number in $(cat /share/proofs); do "prove_$number"; done
        leave
        ;;
esac
