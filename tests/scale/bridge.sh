#!/usr/bin/env bash
# A hall that bridges its public branch to a relay over a cable that is pulled: two brokers with the files of config/mosquitto in two
# network namespaces, a node, and emulated boards. It needs root, and takes about five minutes more than --seconds.
#
#   tests/scale/bridge.sh [--seconds N] [--boards N] [--speed X] [--cut N] [--delay N] [--tolerance X] [--bridge FILE]
#                         [--program FILE] [--keep]
#
# Four parts: games with a cut in the middle; the last moves of all games during a cut; an hour of events of 200 boards of blitz during a
# cut and a restart of the hall's broker; a queue that is full. It ends with 1 if a state at the relay is old, an event is lost, something
# arrived that must stay inside, or the public got anything early. check.py explains the tolerance. --bridge takes another file than
# config/mosquitto/bridge.conf. --seconds 0 leaves out the two parts with games, for which the program is needed.
set -uo pipefail
self=tests/scale/bridge.sh
seconds=600 boards=40 speed=2 cut=25 delay=5 tolerance=1 bridge='' keep=''
while (($#)); do
    case $1 in
        --seconds) seconds=$2 ;;
        --boards) boards=$2 ;;
        --speed) speed=$2 ;;
        --cut) cut=$2 ;;
        --delay) delay=$2 ;;
        --tolerance) tolerance=$2 ;;
        --bridge) bridge=$2 ;;
        --program) program=$2 ;;
        --keep) keep=1; set -- - "$@" ;;
        *) sed -nE '2,/^set/ s/^# ?//p' "${BASH_SOURCE[0]}"; exit 2 ;;
    esac
    shift 2
done
. "$(dirname "${BASH_SOURCE[0]}")/halls.sh"
# The program of flagfall-node has no emulated boards.
((seconds == 0)) || "$program" emulate --help >/dev/null || { echo "$program cannot play: cargo build makes one that can" >&2; exit 2; }
bridge=${bridge:-$shipped/bridge.conf}
# What must be the same on both sides when nothing moves.
states=('flagfall/1/public/+/+/+/state' 'flagfall/1/public/+/+/+/pgn' 'flagfall/1/node/+/status' 'flagfall/1/meta/+')
# How long a bridge may need after the cable is back.
patience=90

bridge_is_up() {
    local state
    for state in states events; do
        [[ $(inside hall mosquitto_sub -u watcher -P watcher -C 1 -W 3 -t "\$SYS/broker/connection/hall-1-$state/state") == 1 ]] || return
    done
}
# With a bridge of another form there is no name to ask for.
wait_for_bridge() { [[ $bridge != "$shipped/bridge.conf" ]] || wait_for $patience "the bridge" bridge_is_up; }
all_boards_ended() {
    local pid
    while read -r pid; do ! kill -0 "$pid" 2>/dev/null || return; done <"$work/board-jobs"
}
# Nothing was published for longer than the delay.
hall_is_quiet() {
    local before
    before=$(retained hall "${states[@]}" | sha1sum)
    sleep $((delay + 2))
    [[ $before == "$(retained hall "${states[@]}" | sha1sum)" ]]
}
got_all() { (($(wc -l <"$work/relay/$1.record") >= $2)); }

games() {
    say "1. $boards boards for $seconds s at $speed times the speed of people, delay $delay s; a cut of $cut s"
    for board in "${ids[@]}"; do
        play hall "$board" "$speed" &
        echo $!
    done >"$work/board-jobs"
    sleep $((seconds / 3))
    unplug hall v
    sleep "$cut"
    plug hall v
    wait_for_bridge
    say "the bridge is back"
    sleep $((seconds > seconds / 3 + cut ? seconds - seconds / 3 - cut : 1))

    say "2. the games end while the cable is pulled"
    unplug hall v
    touch "$work/stop"
    wait_for 300 "the end of all games" all_boards_ended
    wait_for 120 "the end of the delay" hall_is_quiet
    same hall relay "${states[@]}" || true
    behind=$(stale hall relay)
    say "during the cut $behind states of $(wc -l <"$work/hall/retained") at the relay are old"
    ((behind > 0)) || fail "the cut changed nothing"
    plug hall v
    since=$SECONDS
    if wait_for $patience "the states at the relay" same hall relay "${states[@]}"; then say "0 old states after $((SECONDS - since)) s"; fi
    stop_recording hall
    stop_recording relay
    cat "$work/hall/live.record" >>"$work/hall/all.record"
    python3 "$scale/check.py" "$work/hall/all.record" "$work/relay/all.record" "$delay" "$tolerance" || problems=1
}

queues() {
    say "3. an hour of 200 boards of blitz: 96,000 events of 250 bytes, the cable pulled, the hall's broker restarted"
    record relay hour 'flagfall/1/public/hour/#'
    unplug hall v
    # mosquitto_pub loses messages if more than 65,535 wait for its acknowledgement.
    for part in 0 1 2 3; do
        seq -f '%06g' $((part * 24000 + 1)) $((part * 24000 + 24000)) | sed "s/\$/$(printf '%0244d' 0)/" |
            publish hall -t flagfall/1/public/hour/1/1/move -l
    done
    stop_broker hall
    start_broker hall
    grep VmRSS "/proc/$(cat "$work/hall/mosquitto.pid")/status" | tr -s '\t' ' '
    plug hall v
    if wait_for 300 "96,000 events" got_all hour 96000; then
        sort -u <(grep -o '"digest": "[0-9a-f]*"' "$work/relay/hour.record") | wc -l >"$work/relay/hour"
        say "$(cat "$work/relay/hour") events of 96000 arrived, $(wc -l <"$work/relay/hour.record") messages"
        (($(cat "$work/relay/hour") == 96000)) || problems=1
    fi

    say "4. a full queue: 200 messages may wait, and 1,000 states on 20 topics and 1,000 events come"
    unplug hall v
    stop_recording relay
    stop_broker hall
    sed -i 's/^max_queued_messages .*/max_queued_messages 200/' "$work/hall/mosquitto.conf"
    start_broker hall
    for board in $(seq 20); do seq 50 | publish hall -r -t "flagfall/1/public/full/1/$board/state" -l; done
    seq 1000 | publish hall -t flagfall/1/public/full/1/1/move -l
    wait_for 10 "messages that are dropped" some_dropped
    record relay full 'flagfall/1/public/full/#'
    plug hall v
    full=('flagfall/1/public/full/+/+/state')
    if wait_for $patience "the states at the relay" same hall relay "${full[@]}" "${states[@]}"; then
        say "0 old states; the hall's broker counts $(dropped) dropped messages"
    fi
    got=$(grep -c '/move"' "$work/relay/full.record")
    say "$got of 1000 events arrived"
    ((got < 1000)) || fail "the queue was not full"
}

dropped() { inside hall mosquitto_sub -u watcher -P watcher -C 1 -W 5 -t '$SYS/broker/publish/messages/dropped'; }
some_dropped() { (($(dropped) > 0)); }

add_place hall
add_place relay
cable v hall 10.77.1.1 relay 10.77.1.2
broker_files hall 10.77.1.1
bridge hall "$bridge" relay 10.77.1.2 hall-1
broker_files relay 10.77.1.2
add_user relay hall-1
# The rights that bridge.conf names, and no others.
rights=$(sed -n 's/^#   \(user hall-1\|topic write .*\)$/\1/p' "$shipped/bridge.conf")
[[ $(wc -l <<<"$rights") == 4 ]] || { echo "bridge.conf names other rights: $rights" >&2; exit 2; }
echo "$rights" >>"$work/relay/flagfall.acl"
mapfile -t ids < <(seq "$boards")
((seconds == 0)) || node hall pi-1 "$delay" "${ids[@]}"
start_broker relay
start_broker hall
record hall all 'flagfall/1/public/#'
quality=0 record hall live 'flagfall/1/live/#'
record relay all '#'
publish hall -r -t flagfall/1/meta/open26 -m '{"v":"1.1","type":"meta.event","rev":1,"body":{"name":"Test"}}'
publish hall -r -t flagfall/1/meta/open26/1 -m 'the pairings stay inside'
wait_for_bridge
problems=0

((seconds == 0)) || games
queues
((problems == 0)) || fail "see above"
say "passed"
