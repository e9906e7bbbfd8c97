#!/usr/bin/env bash
# The daemon with the real BlueZ: a virtual machine with virtual Bluetooth controllers, one of which is a board with a recording.
# See README.md beside this file. Usage: tests/vm/run.sh [bluetooth] [TRACE], or tests/vm/run.sh service
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ ${1:-} != service ]] || exec "$here/service.sh"
[[ ${1:-} != bluetooth ]] || shift
root=$(cd "$here/../.." && pwd)
trace=${1:-$root/tests/traces/dgt_pegasus/pegasus-eight-moves.trace}
cache=${FLAGFALL_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flagfall-vm}
limit=${FLAGFALL_VM_LIMIT:-1800}
rounds=${FLAGFALL_VM_ROUNDS:-10}
bound=${FLAGFALL_VM_BACK:-15}

# shellcheck source=tests/vm/disk.sh
. "$here/disk.sh"
make_disk

# A folder with the files for the guest, and for the files that the guest writes.
share=$(mktemp -d "$cache/share.XXXXXX")
trap 'rm -rf "$share"' EXIT
program=${FLAGFALL_VM_PROGRAM:-${CARGO_TARGET_DIR:-$root/target}/debug/flagfall}
[[ -n ${FLAGFALL_VM_PROGRAM:-} ]] || cargo build --locked --manifest-path "$root/Cargo.toml"
cp "$program" "$share/flagfall"
cp "$here/board.py" "$share/"
cp "$here/guest.sh" "$share/start"
cp "$trace" "$share/board.trace"
echo "$rounds" >"$share/rounds"
echo "${FLAGFALL_VM_WAIT:-120}" >"$share/limit"
[[ ${FLAGFALL_VM_SCENES:-1} == 0 ]] || touch "$share/scenes"
[[ -z ${FLAGFALL_VM_DEBUG:-} ]] || touch "$share/debug"

# KVM is not used, because on some machines it hangs.
timeout "$limit" qemu-system-x86_64 -accel tcg,thread=multi -m 1024 -smp 2 -nographic -nic none -no-reboot \
    -kernel "$cache/vmlinuz" -initrd "$cache/first.cpio.gz" -append "console=ttyS0 quiet panic=-1" \
    -drive "file=$cache/root.img,if=virtio,format=raw,snapshot=on" \
    -virtfs "local,path=$share,mount_tag=share,security_model=none" </dev/null | tee "$cache/console.log" |
    grep --line-buffered -a 'vm: ' || true

# The moves of a recording, from the last line of its summary.
moves() { "$share/flagfall" replay --summary "$1" | grep -ao '"moves":\[[^]]*\]'; }
cat "$share"/board*.log "$share/daemon.log" "$share/bluetoothd.log" >"$cache/guest.log" 2>/dev/null || true
[[ -z ${FLAGFALL_VM_DEBUG:-} ]] || cp "$share"/*.log "$cache/"
journals=("$share"/journal/1/*.journal)
if [[ ! -f $share/done || ! -f ${journals[0]} ]]; then
    echo "the guest did not come to its end: see console.log and guest.log in $cache" >&2
    exit 1
fi
expected=$(moves "$trace")
found=$(moves "${journals[0]}")
printf 'expected %s\nfound    %s\n' "$expected" "$found"
[[ $expected == "$found" ]] || { echo "not the same moves" >&2; exit 1; }
# The time of the first connection has no bound, because it contains the start of the daemon. The bound of the others is for a machine
# that needs half a second for the loop, and grows with the time of the loop.
awk -v bound="$bound" -v loop="$(cat "$share/loop")" '
    BEGIN { scaled = bound * (loop > 0.5 ? loop / 0.5 : 1) }
    $3 == "never" { never++; next }
    $1 != "first" { count++; late += $3 > bound; longest = $3 > longest ? $3 : longest; too_late += $3 > scaled }
    END {
        printf "%d times back, the longest after %.1f s, %d after more than %s s; %d times not back\n", count, longest, late, bound, never
        printf "the bound for the speed of this machine is %.1f s: %d times exceeded\n", scaled, too_late
        exit !(count > 0 && too_late + never == 0)
    }' "$share/times" || { echo "a link did not come back in time" >&2; exit 1; }
echo "the same moves, and every link came back"
