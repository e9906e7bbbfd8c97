#!/usr/bin/env bash
# Types the steps of "A hall in an afternoon" of README.md as they stand there, in two Debians: the hall's machine and the Pi of one card.
# tests/package.sh starts it, as root. The hall's address exists in a network of its own, and nothing else can be reached.
#
#   tests/package/hall.sh CACHE PACKAGES LATER     LATER is a newer package `flagfall`
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=$1 packages=$2 later=$3
architecture=$(dpkg --print-architecture)
say() { printf 'hall.sh: %s\n' "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

# What stock images have and what the packages need, so that nothing has to be downloaded later.
include=systemd-sysv,udev,procps,bluez,mosquitto,mosquitto-clients,chrony,avahi-daemon,apt-utils,gnupg,cloud-init,openssh-server,python3
include+=,iproute2,prometheus-mqtt-exporter
if [[ ! -d $cache/hall || $(cat "$cache/hall.packages" 2>/dev/null) != "$include" ]]; then
    rm -rf "$cache/new" "$cache/hall"
    mmdebstrap --variant=minbase --format=directory --include="$include" bookworm "$cache/new"
    mv "$cache/new" "$cache/hall"
    echo "$include" >"$cache/hall.packages"
fi
[[ ${FLAGFALL_HALL:-} ]] || FLAGFALL_HALL=1 exec unshare --net --uts --mount --pid --fork "${BASH_SOURCE[0]}" "$@"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/flagfall-hall.XXXXXX")
clean() {
    kill $(jobs -p) 2>/dev/null || true
    for machine in hall card; do umount -l "$work/$machine/root/proc" "$work/$machine/root" 2>/dev/null || true; done
    rm -rf "$work"
}
trap clean EXIT
ip link set lo up
ip address add 192.168.1.10/24 dev lo
for machine in hall card; do
    mkdir -p "$work/$machine"/{root,upper,work}
    mount -t overlay flagfall-hall -o "lowerdir=$cache/hall,upperdir=$work/$machine/upper,workdir=$work/$machine/work" "$work/$machine/root"
    mount -t proc proc "$work/$machine/root/proc"
done
# The commands as root need no sudo.
on() { # machine, script
    env -i HOME=/root USER=root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        chroot "$work/$1/root" bash -euc "cd /root; sudo() { \"\$@\"; }; $2" </dev/null >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "$1: $2"; }
}

# The blocks of the section, in their order.
awk -v out="$work/block" '
    /^## / { inside = /^## A hall in an afternoon$/ }
    inside && /^ *```/ { if (open) open = 0; else { open = 1; number++ } next }
    inside && open { sub(/^   /, ""); print > (out "." number) }
' "$root/README.md"
block() { cat "$work/block.$1"; }
[[ -s $work/block.7 && ! -e $work/block.8 ]] || fail "the section has another number of blocks than this script knows"

# Step 1.
cp "$packages"/flagfall_*.deb "$packages"/flagfall-hall_*.deb "$work/hall/root/root/"
on hall "$(block 1)"
say "installed: $(chroot "$work/hall/root" dpkg-query -W -f '${Package} ${Version}, ' flagfall flagfall-hall mosquitto chrony)"
sed '/^\[fleet\]$/a packages = "http://192.168.1.10:8000"' "$work/block.2" >"$work/hall/root/root/event.toml"

# New versions, which have to be set up before step 2.
on hall "$(block 7 | head -n 2)"
cat "$work/log"
chroot "$work/hall/root" bash -c "cd /root; exec $(block 7 | sed -n 's/ *#.*//; 3p')" >"$work/web.log" 2>&1 &

# Steps 2 and 3. systemctl does nothing here, so the broker is started by hand, as its own user.
on hall "$(block 3)"
on hall "$(block 4)"
on hall 'install -d -o mosquitto -g mosquitto /run/mosquitto'
chroot "$work/hall/root" mosquitto -c /etc/mosquitto/mosquitto.conf >"$work/broker.log" 2>&1 &
on hall 'chronyd -p -f /etc/chrony/chrony.conf'
grep -qx 'allow 192.168.1.0/24' "$work/log" || { cat "$work/log"; fail "chrony does not give the time to the hall"; }

# Step 4, with the package for this machine in the place of that for a Pi.
on hall "mkdir -p /media/root/bootfs; $(block 5 | sed "s/_arm64/_$architecture/")"
install -d "$work/card/root/boot/firmware" "$work/card/root/var/lib/cloud/seed/nocloud"
cp "$work/hall/root/media/root/bootfs"/* "$work/card/root/boot/firmware/"
cp "$work/card/root/boot/firmware/user-data" "$work/card/root/var/lib/cloud/seed/nocloud/"
echo 'instance-id: card' >"$work/card/root/var/lib/cloud/seed/nocloud/meta-data"
# The modules of cloud-init that the card uses; others would look for disks. There is no internet.
cat >"$work/card/root/etc/cloud/cloud.cfg" <<'END'
datasource_list: [NoCloud]
network: {config: disabled}
disable_root: false
cloud_init_modules: [write-files, set_hostname, users-groups]
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts-user]
system_info: {distro: debian, default_user: {name: pi}}
END
# Nothing can be started, because systemd does not run: units are enabled only.
cat >"$work/card/root/usr/local/bin/systemctl" <<'END'
#!/bin/bash
exec /usr/bin/systemctl "${@/--now/--quiet}"
END
chmod 755 "$work/card/root/usr/local/bin/systemctl"
on card 'rm -rf /etc/apt/sources.list* /var/lib/apt/lists/*; mkdir -p /etc/apt/sources.list.d'
on card 'cloud-init schema --config-file /boot/firmware/user-data'
on card 'cloud-init init --local && cloud-init init && cloud-init modules --mode config && cloud-init modules --mode final'
expect() { # what, expected, found
    [[ $3 == "$2" ]] || { cat "$work/log"; fail "$1: expected '$2', found '$3'"; }
    say "$1: $3"
}
inside() { chroot "$work/card/root" "$@"; }
expect "the name of the Pi" pi-07 "$(hostname)"
expect "its configuration" "640 root:flagfall" "$(inside stat -c '%a %U:%G' /etc/flagfall/event.toml)"
expect "its password" "640 root:flagfall" "$(inside stat -c '%a %U:%G' /etc/flagfall/mqtt.password)"
expect "its service" enabled "$(inside systemctl is-enabled flagfall)"
expect "who may log in" "anna@office" "$(inside awk '{ print $NF }' /home/organiser/.ssh/authorized_keys | tail -n 1)"

# Step 5: the Pi is there, and its boards are not. The folder of the journals is made by systemd.
inside install -d -m 700 -o flagfall -g flagfall /var/lib/flagfall
inside setpriv --reuid flagfall --regid flagfall --init-groups flagfall run >"$work/card.log" 2>&1 &
for _ in {1..60}; do
    # The exit code is 1, because something is wrong.
    chroot "$work/hall/root" bash -c "cd /root; $(block 6 | sed 's/ --wait 300/ --json/')" >"$work/status" 2>&1 && fail "boards that are not there are right"
    ! grep -q '"state":"ready"' "$work/status" || break
    sleep 1
done
grep -q '"node":"pi-07","state":"ready"' "$work/status" || { cat "$work/status" "$work/card.log" "$work/broker.log"; fail "the Pi is not there"; }
# Whether this machine's clock is synchronised is not a matter of this test.
problems=$(sed 's/.*"problems":\[\(.*\)\]}\],"broker".*/\1/; s/"its clock is not synchronised",//' "$work/status")
[[ $problems =~ ^\"board\ 12\ is\ offline[^\"]*\",\"board\ 13\ is\ offline[^\"]*\"$ ]] || { cat "$work/status"; fail "other problems: $problems"; }
say "status: $(cat "$work/status")"

# The nodes' health for Prometheus, with the example as it is but for the words that its head names.
settings=/usr/share/flagfall/examples/prometheus/mqtt-exporter.yaml
on hall "install -m 644 $settings /etc/prometheus/mqtt-exporter.yaml; install -m 644 OUT/ca.pem /etc/prometheus/flagfall.pem"
password=$(cat "$work/hall/root/root/OUT/secrets/passwords/office")
chroot "$work/hall/root" env SSL_CERT_FILE=/etc/prometheus/flagfall.pem MQTT2PROM_MQTT_USER=office MQTT2PROM_MQTT_PASSWORD="$password" prometheus-mqtt-exporter >"$work/exporter.log" 2>&1 &
metrics() { python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:9641/metrics").read().decode())' 2>/dev/null; }
for _ in {1..60}; do
    ! grep -q '^flagfall_' <<<"$(metrics)" || break
    sleep 1
done
for name in $(sed -n 's/.*mqtt_name: body\.\([a-z_]*\),.*/\1/p' "$work/hall/root$settings"); do
    grep -q "\"$name\": {" "$work/hall/root/usr/share/flagfall/schema/node.health.json" || fail "the health has no $name"
done
for metric in $(sed -n 's/.*prom_name: \([a-z_]*\),.*/\1/p' "$work/hall/root$settings"); do
    case $metric in
        # Zero and unknown are left out of the health.
        flagfall_refused | flagfall_reconnections | flagfall_clock_step_ms | flagfall_backlog) continue ;;
    esac
    grep -q "^$metric{.*sensor=\"pi-07\".*} [0-9]" <<<"$(metrics)" || { cat "$work/exporter.log"; metrics | grep flagfall; fail "Prometheus has no $metric"; }
done
say "Prometheus: $(metrics | grep -c '^flagfall_') numbers of pi-07"

# A new version.
cp "$later" "$work/hall/root/root/packages/flagfall_999-1_$architecture.deb"
on hall "$(block 7 | sed -n 2p)"
on card 'apt-get update && apt-get install --yes flagfall'
expect "the version on the Pi" 999-1 "$(inside dpkg-query -W -f '${Version}' flagfall)"
# Whoever has no key changes nothing on the Pis.
on hall 'cd packages; sed -i "s/^Version: 999-1$/Version: 1000-1/" Packages; rm InRelease; apt-ftparchive release . >"$HOME/Release"; mv "$HOME/Release" .; cp Release InRelease'
grep -q '^Version: 1000-1$' "$work/hall/root/root/packages/Packages" || fail "the list is not another one"
inside apt-get update >"$work/log" 2>&1 || true
inside apt-get install --yes flagfall >>"$work/log" 2>&1 || true
! grep -q 1000-1 <<<"$(inside apt-cache policy flagfall)" || { cat "$work/log"; fail "a list without signature is taken"; }
expect "the version on the Pi after a list without signature" 999-1 "$(inside dpkg-query -W -f '${Version}' flagfall)"
say "all is well"
