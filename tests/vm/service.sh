#!/usr/bin/env bash
# The package on a booted machine, with systemd, udev and a board on USB: the proofs of README.md beside this file.
# Usage: tests/vm/run.sh service
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${FLAGFALL_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flagfall-vm}
limit=${FLAGFALL_VM_LIMIT:-1800}
proofs=${FLAGFALL_VM_PROOFS:-1 2 3 4 5 6 7 8 9 10 11}
cuts=${FLAGFALL_VM_CUTS:-5}
packages=${FLAGFALL_PACKAGES:-${CARGO_TARGET_DIR:-$root/target}/packages}
# shellcheck source=tests/vm/disk.sh
. "$here/disk.sh"
make_disk
for tool in openssl python3 debugfs dpkg-deb; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: see $here/README.md" >&2; exit 2; }
done

deb=${FLAGFALL_VM_DEB:-$(ls "$packages"/flagfall_*_amd64.deb 2>/dev/null | tail -n 1 || true)}
[[ -f $deb ]] || { echo "there is no package in $packages: packaging/build.sh flagfall makes it" >&2; exit 2; }
share=$(mktemp -d "$cache/share.XXXXXX")
qemu= board= cable=
stop() {
    # The process may have ended by itself.
    [[ -z $1 ]] || { kill "-${2:-TERM}" "$1" 2>/dev/null || true; wait "$1" 2>/dev/null || true; }
}
trap 'stop "$cable"; stop "$board"; stop "$qemu"; rm -rf "$share"' EXIT
say() { echo "vm: host: $*"; }

cp "$deb" "$share/flagfall.deb"
cp "$here/service-guest.sh" "$share/start"
cp "$root/systemd/flagfall.service.d/hall.conf" "$share/hall.conf"
dpkg-deb -x "$deb" "$share/tree"
program=$share/tree/usr/bin/flagfall
# The next release, for the upgrade.
dpkg-deb -R "$deb" "$share/later"
sed -i 's/^Version: .*/Version: 999-1/' "$share/later/DEBIAN/control"
dpkg-deb -Zgzip -z1 --root-owner-group -b "$share/later" "$share/later.deb" >/dev/null
rm -rf "$share/later"
# The disk of the journals: 96 MiB, with a journal of its own as on a card.
truncate -s 96M "$share/journals.img"
mke2fs -q -t ext4 "$share/journals.img"
python3 "$here/hands.py" "${FLAGFALL_VM_PLY:-4}" >"$share/hands"

start_board() {
    "$program" emulate --script "$share/hands" --serial 24012 --after 30 --linger 86400 --link "$share/board" >"$share/board.log" 2>&1 &
    board=$!
    until [[ -e $share/board ]]; do
        kill -0 "$board" 2>/dev/null || { cat "$share/board.log"; say "the emulated board has ended"; exit 1; }
        sleep 0.1
    done
}
plug() { python3 "$here/cable.py" "$share/usb.socket" "$share/board" >>"$share/cable.log" 2>&1 & cable=$!; }
unplug() { stop "$cable"; cable=; }
# Makes the initial file system that puts an overlay in memory over a root that is only read, as raspi-config's does. The second archive
# replaces a file of the first.
overlay_initrd() {
    local more=$share/more kernel
    mkdir -p "$more/modules"
    kernel=$(debugfs -R "ls -p /usr/lib/modules" "$cache/root.img" 2>/dev/null | cut -d / -f 6 | grep '^[0-9]')
    debugfs -R "dump /usr/lib/modules/$kernel/kernel/fs/overlayfs/overlay.ko $more/modules/overlay.ko" "$cache/root.img" 2>/dev/null
    zcat "$cache/first.cpio.gz" | cpio -i --quiet --to-stdout init >"$more/init.first"
    sed 's|^/bin/busybox mount -t ext4 -o rw /dev/vda /new$|/bin/busybox insmod /modules/overlay.ko\
/bin/busybox mkdir /below /memory\
/bin/busybox mount -t ext4 -o ro /dev/vda /below\
/bin/busybox mount -t tmpfs memory /memory\
/bin/busybox mkdir /memory/upper /memory/work\
/bin/busybox mount -t overlay -o lowerdir=/below,upperdir=/memory/upper,workdir=/memory/work root /new|' "$more/init.first" >"$more/init"
    grep -q overlay "$more/init"
    rm "$more/init.first"
    chmod 755 "$more/init"
    { cat "$cache/first.cpio.gz"; (cd "$more" && find . | cpio -o --quiet -H newc | gzip -1); } >"$share/overlay.cpio.gz"
    rm -rf "$more"
}
# Starts the machine for the proofs $1, with other arguments of qemu and another initial file system. KVM is not used, because on some
# machines it hangs.
boot() {
    echo "$1" >"$share/proofs"
    rm -f "$share/usb.socket" "$share/done"
    qemu-system-x86_64 -accel tcg,thread=multi -m 1024 -smp 2 -nographic -nic none -no-reboot ${2:-} \
        -kernel "$cache/vmlinuz" -initrd "${3:-$cache/first.cpio.gz}" -append "console=ttyS0 quiet panic=-1" \
        -drive "file=$cache/root.img,if=virtio,format=raw,snapshot=on" \
        -drive "file=$share/journals.img,if=virtio,format=raw,cache=none" \
        -device qemu-xhci -chardev "socket,id=b0,path=$share/usb.socket,server=on,wait=off" -device usb-serial,chardev=b0 \
        -virtfs "local,path=$share,mount_tag=share,security_model=none" </dev/null >>"$cache/service-console.log" 2>&1 &
    qemu=$!
    until [[ -S $share/usb.socket ]]; do kill -0 "$qemu"; sleep 0.1; done
}
# Does what the guest asks for, until the machine ends or the time is over. A request is a file `ask`, which is removed when it is done.
serve() {
    local ends=$((SECONDS + limit)) said=0 lines
    while kill -0 "$qemu" 2>/dev/null; do
        ((SECONDS < ends)) || { say "the guest did not come to its end in $limit s"; stop "$qemu" KILL; return 1; }
        lines=$(grep -ac 'vm: ' "$cache/service-console.log" || true)
        ((lines <= said)) || { grep -a 'vm: ' "$cache/service-console.log" | sed "1,${said}d; s/.*vm: /vm: /; s/\r//"; said=$lines; }
        if [[ -s $share/ask ]]; then
            case $(cat "$share/ask") in
                plug) plug ;;
                unplug) unplug ;;
                flood) unplug; python3 "$here/cable.py" "$share/usb.socket" --flood 100000 >>"$share/cable.log" 2>&1 & cable=$! ;;
                cut) say "power cut"; stop "$qemu" KILL; unplug; rm -f "$share/ask"; done_cuts=$((done_cuts + 1)); return 0 ;;
            esac
            rm -f "$share/ask"
        fi
        sleep 0.2
    done
    grep -a 'vm: ' "$cache/service-console.log" | sed "1,${said}d; s/.*vm: /vm: /; s/\r//"
    unplug
}

: >"$cache/service-console.log"
began=$SECONDS
start_board
ordinary=$(for proof in $proofs; do [[ $proof == [578] ]] || printf '%s ' "$proof"; done)
failed=0
if [[ -n $ordinary ]]; then
    boot "$ordinary"
    serve
    [[ -f $share/done ]] || { say "the guest did not come to its end: see service-console.log in $cache"; failed=1; }
fi

# Proof 7: a card that is only read.
if [[ " $proofs " == *" 7 "* ]]; then
    mv "$share/messages" "$share/messages.1" 2>/dev/null || true
    rm -f "$share/done"
    : >"$cache/service-console.log"
    overlay_initrd
    boot 7 "" "$share/overlay.cpio.gz"
    serve
    [[ -f $share/done ]] || { say "the guest with a read-only root did not come to its end"; failed=1; }
    rm -f "$share/messages"
fi

# Proof 8: a machine without a clock of its own, and a certificate that was made today.
if [[ " $proofs " == *" 8 "* ]]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE \
        -keyout "$share/tls.key" -out "$share/tls.crt" 2>/dev/null
    mv "$share/messages" "$share/messages.1" 2>/dev/null || true
    rm -f "$share/done"
    : >"$cache/service-console.log"
    date +%s >"$share/now"
    boot 8 "-rtc base=2025-01-01T00:00:00"
    serve
    [[ -f $share/done ]] || { say "the guest with the wrong clock did not come to its end"; failed=1; }
    rm -f "$share/messages"
fi

# Proof 5: the power is cut in the middle of a game, at another moment each time. The board has power of its own.
if [[ " $proofs " == *" 5 "* ]]; then
    stop "$board"
    rm -f "$share/board"
    mke2fs -q -F -t ext4 "$share/journals.img"
    rm -rf "$share/journals" "$share/done"
    start_board
    [[ ! -f $share/messages ]] || mv "$share/messages" "$share/messages.1"
    seed=${FLAGFALL_VM_SEED:-$((SRANDOM % 10000))} done_cuts=0
    RANDOM=$seed
    say "power cuts of seed $seed"
    for ((cut = 1; cut <= cuts; cut++)); do
        echo $((RANDOM % 12 + 4)) >"$share/cut-after"
        : >"$cache/service-console.log"
        boot cut
        serve
    done
    ((done_cuts == cuts)) || { say "the power was cut $done_cuts times, and not $cuts times"; failed=1; }
    : >"$cache/service-console.log"
    boot last
    serve
    [[ -f $share/done ]] || { say "the last boot did not come to its end"; failed=1; }
fi
cp "$share"/*.log "$share"/messages* "$cache/" 2>/dev/null || true
rm -rf "$cache/journals"
cp -r "$share/journals" "$cache/" 2>/dev/null || true

# What the subscriber saw, before the power cuts and with them.
journals=("$share"/journals/12/*.journal)
if [[ " $proofs " == *" 5 "* ]]; then
    python3 "$here/numbers.py" "$share/messages" "${journals[@]}" || failed=1
elif [[ -f $share/messages ]]; then
    mv "$share/messages" "$share/messages.1"
fi
[[ ! -f $share/messages.1 ]] || python3 "$here/numbers.py" "$share/messages.1" || failed=1
# What the journal says was sent is what the core gives again.
for journal in "${journals[@]}"; do
    [[ -f $journal ]] || continue
    "$program" replay --verify "$journal" | tail -n 1 | sed "s|^|vm: host: $(basename "$journal"): |"
    [[ ${PIPESTATUS[0]} == 0 ]] || failed=1
done
if grep -aq 'FAILED' "$share/result" 2>/dev/null; then failed=1; fi
say "$((SECONDS - began)) s"
((failed == 0)) || { say "FAILED"; exit 1; }
say "all proofs hold"
