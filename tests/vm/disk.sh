# The disk of the virtual machine, for both tests; `cache` is the folder of the disk and `here` that of this file.

# The kernel; BlueZ with its test tools; a broker with its clients; certificates.
disk_packages=linux-image-amd64,systemd,systemd-sysv,udev,dbus,kmod,bluez,bluez-test-tools,python3-minimal,python3-dbus,python3-gi,procps
disk_packages+=,mosquitto,mosquitto-clients,openssl

# Makes the disk if it is not there: $cache/root.img, vmlinuz and first.cpio.gz. The guest runs /share/start of the shared folder.
make_disk() {
    for tool in qemu-system-x86_64 mmdebstrap busybox cpio mke2fs; do
        command -v "$tool" >/dev/null || { echo "$tool is missing: see $here/README.md" >&2; exit 2; }
    done
    mkdir -p "$cache"
    # A disk with other packages is made again.
    if [[ ! -f $cache/root.img || $(cat "$cache/packages" 2>/dev/null) != "$disk_packages" ]]; then
        rm -f "$cache/root.img"
        local tree kernel first order module
        tree=$(mktemp -d "$cache/tree.XXXXXX")
        mmdebstrap --quiet --variant=minbase --include="$disk_packages" bookworm "$cache/root.tar"
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
        # Each test has a broker of its own.
        rm -f "$tree/etc/systemd/system/multi-user.target.wants/mosquitto.service"
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
        echo "$disk_packages" >"$cache/packages"
    fi
}
