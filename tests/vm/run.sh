#!/usr/bin/env bash
# The daemon with the real BlueZ: a virtual machine with virtual Bluetooth controllers, one of which is a board with a recording.
# See README.md beside this file. Usage: tests/vm/run.sh [TRACE]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
trace=${1:-$root/tests/traces/dgt_pegasus/pegasus-eight-moves.trace}
cache=${FLAGFALL_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flagfall-vm}
limit=${FLAGFALL_VM_LIMIT:-1800}
rounds=${FLAGFALL_VM_ROUNDS:-10}
bound=${FLAGFALL_VM_BACK:-15}
packages=linux-image-amd64,systemd,systemd-sysv,udev,dbus,kmod,bluez,bluez-test-tools,python3-minimal,python3-dbus,python3-gi,procps

for tool in qemu-system-x86_64 mmdebstrap busybox cpio mke2fs; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: see $here/README.md" >&2; exit 2; }
done
mkdir -p "$cache"

# The disk: Debian with the kernel, BlueZ and its test tools, made once.
if [[ ! -f $cache/root.img ]]; then
    tree=$(mktemp -d "$cache/tree.XXXXXX")
    mmdebstrap --variant=minbase --include="$packages" bookworm "$cache/root.tar"
    tar -xf "$cache/root.tar" -C "$tree" --exclude='./dev/*'
    cat >"$tree/etc/systemd/system/flagfall-vm.service" <<'UNIT'
[Unit]
After=dbus.service systemd-udevd.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'modprobe -a 9pnet_virtio 9p; mkdir -p /share; mount -t 9p -o trans=virtio,version=9p2000.L share /share && sh /share/start'
StandardOutput=journal+console
StandardError=journal+console
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Install]
WantedBy=multi-user.target
UNIT
    mkdir -p "$tree/etc/systemd/system/multi-user.target.wants"
    ln -sf ../flagfall-vm.service "$tree/etc/systemd/system/multi-user.target.wants/"
    # guest.sh starts Bluetooth when its controllers are there.
    ln -sf /dev/null "$tree/etc/systemd/system/bluetooth.target"
    kernel=$(basename "$(ls -d "$tree"/lib/modules/*)")
    cp "$tree/boot/vmlinuz-$kernel" "$cache/vmlinuz"
    # A small initial file system replaces Debian's: it loads the modules for the disk and switches to it.
    first=$(mktemp -d "$cache/first.XXXXXX")
    mkdir -p "$first"/{bin,dev,proc,sys,new,modules}
    cp "$(command -v busybox)" "$first/bin/busybox"
    order=$(modprobe -d "$tree" -S "$kernel" --show-depends virtio_pci
        modprobe -d "$tree" -S "$kernel" --show-depends virtio_blk
        modprobe -d "$tree" -S "$kernel" --show-depends crc32c_generic
        modprobe -d "$tree" -S "$kernel" --show-depends ext4)
    echo "$order" | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$first/order"
    while read -r module; do cp "$module" "$first/modules/"; done <"$first/order"
    sed -i 's|.*/||' "$first/order"
    cat >"$first/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t proc none /proc
/bin/busybox mount -t sysfs none /sys
/bin/busybox mount -t devtmpfs none /dev
while read -r module; do /bin/busybox insmod "/modules/$module"; done </order
while [ ! -b /dev/vda ]; do /bin/busybox sleep 0.1; done
/bin/busybox mount -t ext4 -o rw /dev/vda /new
exec /bin/busybox switch_root /new /lib/systemd/systemd
INIT
    chmod 755 "$first/init"
    (cd "$first" && find . | cpio -o -H newc --quiet | gzip) >"$cache/first.cpio.gz"
    mke2fs -q -t ext4 -O ^has_journal -d "$tree" "$cache/root.part" 1600M
    mv "$cache/root.part" "$cache/root.img"
    rm -rf "$tree" "$first" "$cache/root.tar"
fi

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
