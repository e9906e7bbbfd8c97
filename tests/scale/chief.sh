#!/usr/bin/env bash
# Two halls with one chief arbiter: three brokers in network namespaces, each hall with a node, a board and config/mosquitto/
# bridge-chief.conf. The chief sees both boards and rules on a flag; nothing goes in circles; what is closed while a cable is pulled is
# closed at the chief's broker afterwards. It needs root and about three minutes.
#
#   tests/scale/chief.sh [--program FILE] [--keep]
set -uo pipefail
self=tests/scale/chief.sh
keep='' time_control=32
while (($#)); do
    case $1 in
        --program) program=$2; shift 2 ;;
        --keep) keep=1; shift ;;
        *) sed -nE '2,/^set/ s/^# ?//p' "${BASH_SOURCE[0]}"; exit 2 ;;
    esac
done
. "$(dirname "${BASH_SOURCE[0]}")/halls.sh"
own=('flagfall/1/arbiter/+/+/+/state' 'flagfall/1/arbiter/+/+/+/alert/+' 'flagfall/1/arbiter/+/+/+/ruling' 'flagfall/1/device/+/status')

# The rights of the file's head, for one hall.
admit_hall() { sed -n '/^#   user hall-1/,/^$/ s/^#   //p' "$shipped/bridge-chief.conf" | sed "s/hall-1/$1/" >>"$work/chief/flagfall.acl"; }
# The last message on a topic at a broker.
last() { inside "$1" mosquitto_sub -u watcher -P watcher -C 1 -W 3 -t "$2" 2>/dev/null; }
# The finding on a board, as the chief sees it, and whether somebody decided.
ruling() { last chief "flagfall/1/arbiter/open26/1/$1/ruling"; }
flag_fell() { [[ $(ruling "$1") == *'"headline":"'*FLAG* ]]; }
is_decided() { [[ $(last "$1" "flagfall/1/arbiter/open26/1/$2/ruling") == *'"decision":'* ]]; }
in_file() { [[ $(grep -c "$1" "$2") -ge $3 ]]; }
# The command that confirms the finding on a board as a broker has it: confirm PLACE BOARD ID
confirm() {
    last "$1" "flagfall/1/arbiter/open26/1/$2/ruling" | python3 -c 'import json, sys
found = json.load(sys.stdin)
body = {"v": "1.1", "type": "cmd.confirm", "id": sys.argv[1], "body": {}, "expect": {"game": found["game"],
        "finding": {"id": found["body"]["id"], "revision": found["body"]["revision"]}}}
print(json.dumps(body))' "$3"
}
# The states, alarms and rulings of a hall's board are at the chief's broker as they are in the hall.
as_in() {
    retained "$1" "${own[@]}" >"$work/$1/retained"
    retained chief "${own[@]}" | grep -E "/open26/1/$2/|/device/dgt-0*100$2/" >"$work/chief/retained"
    cmp -s "$work/$1/retained" "$work/chief/retained"
}

add_place chief
add_place one
add_place two
cable v one 10.77.1.1 chief 10.77.1.2
cable w two 10.77.2.1 chief 10.77.2.2
broker_files chief 10.77.1.2 10.77.2.2
number=0
for hall in one two; do
    number=$((number + 1))
    broker_files "$hall" "10.77.$number.1"
    bridge "$hall" "$shipped/bridge-chief.conf" chief "10.77.$number.2" "hall-$number"
    add_user chief "hall-$number"
    admit_hall "hall-$number"
    node "$hall" "pi-$number" 0 $((2 * number - 1))
done
add_user chief chief-carol
add_user chief arbiter-anna
for place in chief one two; do start_broker "$place"; done
for place in chief one two; do record "$place" all '#'; done

say "one game on each board; the flag falls"
play one 1 1 1 &
play two 3 1 1 &
for board in 1 3; do wait_for 150 "a flag on board $board" flag_fell "$board"; done

say "the chief decides about board 1"
confirm chief 1 carol-1 >"$work/command"
inside chief mosquitto_sub -V 5 -q 1 -u chief-carol -P chief-carol -i carol-reads -t 'flagfall/1/reply/chief-carol/#' -F '%P %p' >"$work/replies" &
wait_for 10 "the chief's subscription" grep -q 'carol-reads 1 ' "$work/chief/log"
as_chief() { inside chief mosquitto_pub -V 5 -q 1 -u chief-carol -P chief-carol -D publish response-topic flagfall/1/reply/chief-carol/desk "$@"; }
as_chief -D publish correlation-data c1 -D publish message-expiry-interval 10 -t flagfall/1/cmd/chief-carol/open26/1/1/confirm -f "$work/command"
wait_for 30 "the answers" in_file '"stage":' "$work/replies" 2
wait_for 30 "the decision at the chief's broker" is_decided chief 1
grep -q '"stage":"done"' "$work/replies" || fail "the command was not carried out: $(cat "$work/replies")"
grep -q '"by":"chief-carol"' <<<"$(ruling 1)" || fail "the decision has another author: $(ruling 1)"

say "another user of the chief's broker has no way into a hall"
inside chief mosquitto_pub -V 5 -q 1 -u arbiter-anna -P arbiter-anna -t flagfall/1/cmd/arbiter-anna/open26/1/3/confirm -m "$(confirm chief 3 anna-1)"

say "the cable of hall two is pulled; there somebody decides about board 3"
unplug two w
confirm chief 3 carol-2 >"$work/command"
as_chief -D publish message-expiry-interval 5 -t flagfall/1/cmd/chief-carol/open26/1/3/confirm -f "$work/command"
confirm_there() {
    publish two -t flagfall/1/cmd/chief-carol/open26/1/3/confirm -m "$(confirm two 3 "local-$SECONDS")"
    sleep 2
    is_decided two 3
}
# A ruling may become more precise between reading and confirming it.
wait_for 60 "the decision in hall two" confirm_there
is_decided chief 3 && fail "the cable was not pulled"
# The expiry of the chief's command is over, and the bridge has noticed the cut.
sleep 25
plug two w
wait_for 90 "what hall two says, at the chief's broker" as_in two 3
wait_for 60 "what hall one says, at the chief's broker" as_in one 1

say "what arrived where"
# The three connections of a bridge come back one after the other.
arrived() { python3 "$scale/chief.py" "$work" >"$work/arrived"; }
until_arrived=$((SECONDS + 90))
until arrived; do
    ((SECONDS < until_arrived)) || { cat "$work/arrived"; fail "not everything is as it should be"; }
    sleep 1
done
cat "$work/replies" "$work/arrived"
say "passed"
