# Functions of the tests in this folder: network namespaces, brokers with the files of config/mosquitto, a node with emulated boards, and
# recorders. Whatever is made is removed at the end of the script, also after a failure.
#
# The script sets `self`, its name, and may set `keep` (not empty: the records stay) and `program`, before it reads this file.

scale=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$scale/../.." && pwd)
shipped=$root/config/mosquitto
program=${program:-$root/target/debug/flagfall}

say() { printf '%s %s: %s\n' "$(date +%T)" "$self" "$*"; }
fail() { say "FAILED: $*"; exit 1; }

((EUID == 0)) || { echo "$self needs root, for network namespaces" >&2; exit 2; }
for tool in ip mosquitto mosquitto_sub mosquitto_pub mosquitto_passwd openssl python3; do
    command -v "$tool" >/dev/null || { echo "$self: $tool is missing" >&2; exit 2; }
done

work=$(mktemp -d /tmp/flagfall-scale.XXXXXX)
namespaces=()

clean_up() {
    local status=$? space
    trap - EXIT INT TERM
    # The shell reports every job that is killed.
    exec 2>/dev/null
    for space in "${namespaces[@]}"; do
        ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null
    done
    # A namespace disappears when its last process has ended.
    for space in "${namespaces[@]}"; do ip netns del "$space" 2>/dev/null; done
    if [[ -n ${keep:-} || $status != 0 ]]; then say "records: $work"; else rm -rf "$work"; fi
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Waits until the command succeeds: wait_for SECONDS WHAT COMMAND...
wait_for() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        ((SECONDS < until)) || fail "$what: not within the time"
        sleep 0.3
    done
}

# The namespace of a place of this run.
space() { echo "ff$$-$1"; }
inside() { local place=$1; shift; ip netns exec "$(space "$place")" "$@"; }

# Makes a namespace for a place.
add_place() {
    ip netns add "$(space "$1")" || fail "no network namespace"
    namespaces+=("$(space "$1")")
    ip -n "$(space "$1")" link set lo up
    mkdir -p "$work/$1"
}

# Joins two places with a cable: cable NAME PLACE ADDRESS PLACE ADDRESS.
cable() {
    ip link add "$1a" netns "$(space "$2")" type veth peer name "$1b" netns "$(space "$4")"
    ip -n "$(space "$2")" addr add "$3/30" dev "$1a"
    ip -n "$(space "$4")" addr add "$5/30" dev "$1b"
    plug "$2" "$1"
    ip -n "$(space "$4")" link set "$1b" up
}
unplug() { ip -n "$(space "$1")" link set "$2a" down; }
plug() { ip -n "$(space "$1")" link set "$2a" up; }

# The files of a broker, made of the shipped ones: only paths are changed, and a listener for the recorders is added.
# broker_files PLACE ADDRESS...
broker_files() {
    local at=$work/$1 names
    names=$(printf ',IP:%s' "${@:2}")
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
        -addext "subjectAltName=${names#,}" -addext "basicConstraints=critical,CA:FALSE" \
        -keyout "$at/flagfall.key" -out "$at/flagfall.crt" 2>/dev/null
    sed -e "s|/etc/mosquitto/certs/|$at/|" -e "s|/etc/mosquitto/|$at/|" "$shipped/flagfall.conf" >"$at/mosquitto.conf"
    printf '%s\n' 'listener 1883 127.0.0.1' 'user root' "persistence_location $at/" "log_dest file $at/log" 'sys_interval 1' \
        'log_type error' 'log_type warning' 'log_type notice' 'log_type information' 'log_type subscribe' >>"$at/mosquitto.conf"
    cp "$shipped/acl" "$at/flagfall.acl"
    printf '\nuser watcher\ntopic readwrite #\ntopic read $SYS/#\n' >>"$at/flagfall.acl"
    : >"$at/flagfall.passwords"
    chmod 600 "$at/flagfall.passwords"
    add_user "$1" watcher
}

# Adds a login to a broker, with its name as the password.
add_user() { mosquitto_passwd -b "$work/$1/flagfall.passwords" "$2" "$2"; }

# A shipped bridge, with the address of the other broker and the user of this hall: bridge PLACE FILE TO ADDRESS USER [CHANGE]
bridge() {
    sed -e "s|^address .*|address $4:8883|" -e "s|^bridge_capath .*|bridge_cafile $work/$3/flagfall.crt|" \
        -e "s|^remote_username .*|remote_username $5|" -e "s|^remote_password .*|remote_password $5|" \
        -e "s|^remote_clientid hall-1|remote_clientid $5|" -e "${6:-}" "$2" >>"$work/$1/mosquitto.conf"
}

start_broker() {
    (exec ip netns exec "$(space "$1")" mosquitto -c "$work/$1/mosquitto.conf" >>"$work/$1/mosquitto.out" 2>&1 </dev/null) &
    echo $! >"$work/$1/mosquitto.pid"
    wait_for 10 "broker of $1" answers "$1"
}

answers() { publish "$1" -t test -n 2>/dev/null; }

# Ends a broker as systemd does, so that it saves its queues.
stop_broker() {
    local pid
    pid=$(cat "$work/$1/mosquitto.pid")
    kill "$pid"
    wait "$pid" || true
}

publish() { inside "$1" mosquitto_pub -V 5 -q 1 -u watcher -P watcher "${@:2}"; }

# Records what arrives at a broker under these topics: record PLACE NAME TOPIC... With `quality=0` in front, a recorder that has no time
# to acknowledge is not slowed down. Recorders come before everything else on a busy machine, because they note the time.
record() {
    local place=$1 name=$2 topics=()
    shift 2
    for topic in "$@"; do topics+=(-t "$topic"); done
    inside "$place" nice -n -15 mosquitto_sub -V 5 -q "${quality:-1}" -i "record-$name" -u watcher -P watcher -F '%U %r %t %x' \
        "${topics[@]}" | nice -n -15 python3 "$scale/recorder.py" >"$work/$place/$name.record" &
    echo $! >>"$work/$place/recorders"
    wait_for 10 "recorder $name of $place" grep -q "record-$name [01] " "$work/$place/log"
}

# Ends the recorders of a place, which write what they have.
stop_recording() {
    local pid
    for pid in $(ip netns pids "$(space "$1")"); do
        [[ $(cat "/proc/$pid/comm" 2>/dev/null) != mosquitto_sub ]] || kill "$pid"
    done
    while read -r pid; do wait "$pid" || true; done <"$work/$1/recorders"
    : >"$work/$1/recorders"
}

# What a broker retains under these topics, one line each: the topic and a digest.
retained() {
    local place=$1 topics=()
    shift
    for topic in "$@"; do topics+=(-t "$topic"); done
    { inside "$place" mosquitto_sub -V 5 -q 1 -u watcher -P watcher --retained-only -W 2 -F '%U %r %t %x' "${topics[@]}" 2>/dev/null || true; } |
        python3 "$scale/recorder.py" --digests | sort
}

# Whether two brokers retain the same under these topics: same PLACE PLACE TOPIC...
same() {
    local one=$1 other=$2
    shift 2
    retained "$one" "$@" >"$work/$one/retained"
    retained "$other" "$@" >"$work/$other/retained"
    [[ -s $work/$one/retained ]] && cmp -s "$work/$one/retained" "$work/$other/retained"
}

# How many lines of the first place's last list are not in the second's.
stale() { comm -23 "$work/$1/retained" "$work/$2/retained" | wc -l; }

# A node with boards: node PLACE NAME DELAY BOARD...
node() {
    local place=$1 name=$2 delay=$3 board
    shift 3
    mkdir -p "$work/$place/ports"
    {
        printf 'node.name = "%s"\njournal.dir = "%s/journals"\ndiscovery.folders = []\n' "$name" "$work/$place"
        printf '[mqtt]\nhost = "127.0.0.1"\nuser = "%s"\npassword_file = "%s/password"\n' "$name" "$work/$place"
        printf '[event]\nid = "open26"\nround = "1"\ntime_control = "%s"\ndelay = %s\n' "${time_control:-60}" "$delay"
        printf '[user.chief-carol]\nrole = "chief"\n[user.arbiter-anna]\nrole = "arbiter"\n'
        for board in "$@"; do
            printf '[[board]]\nid = "%s"\ndriver = "dgt"\nport = "%s/ports/%s"\n' "$board" "$work/$place" "$board"
        done
    } >"$work/$place/flagfall.toml"
    echo "$name" >"$work/$place/password"
    chmod 600 "$work/$place/password"
    sed -n '/^user node-07/,/^# ---/p' "$shipped/acl" | sed "s/node-07/$name/g" >>"$work/$place/flagfall.acl"
    add_user "$place" "$name"
    inside "$place" "$program" run --config "$work/$place/flagfall.toml" >>"$work/$place/node.log" 2>&1 </dev/null &
}

# Plays games on a board, one after the other, until the file `stop` is there or all are played: play PLACE BOARD SPEED [GAMES]
play() {
    local place=$1 board=$2 speed=$3 games=${4:-0} number=0
    while ((games == 0 || number < games)) && [[ ! -e $work/stop ]]; do
        number=$((number + 1))
        # The first game waits until the node has found the board.
        inside "$place" "$program" emulate --game $(((board + number) % 2 + 1)) --seed $((board * 1000 + number)) --speed "$speed" \
            --serial $((1000 + board)) --link "$work/$place/ports/$board" --after 4 --linger 3 >>"$work/$place/boards.log" 2>&1 </dev/null ||
            true
    done
}
