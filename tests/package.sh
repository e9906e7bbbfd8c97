#!/usr/bin/env bash
# Builds the Debian packages and tries them: lintian, their contents, their sizes, and in a Debian of its own installation, upgrade,
# downgrade, the change from one package to the other, and purge. It needs root. The Debian is made once, in ~/.cache/flagfall-package.
#
#   sudo tests/package.sh              builds the packages first, which takes ten minutes and more
#   sudo tests/package.sh --no-build   takes those of the last build
#   … --require arm64                  fails if the packages of this architecture are not there as well, as for a release
#
# FLAGFALL_BLESS=1 writes the lists of the contents again, for review.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
packages=${FLAGFALL_PACKAGES:-${CARGO_TARGET_DIR:-$root/target}/packages}
cache=${FLAGFALL_PACKAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flagfall-package}
# The largest program and the largest package, in bytes.
declare -A program=([flagfall]=22000000 [flagfall-node]=12000000) packed=([flagfall]=7500000 [flagfall-node]=4000000)

say() { printf 'package.sh: %s\n' "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }
for tool in lintian mmdebstrap dpkg-deb readelf; do
    command -v "$tool" >/dev/null || { echo "missing: apt-get install lintian mmdebstrap dpkg binutils" >&2; exit 2; }
done
((EUID == 0)) || { echo "this needs root: it installs the packages in a Debian of its own" >&2; exit 2; }

build=yes required=()
while (($#)); do
    case $1 in
        --no-build) build= ;;
        --require) required+=("$2"); shift ;;
        *) echo "usage: tests/package.sh [--no-build] [--require ARCHITECTURE]" >&2; exit 2 ;;
    esac
    shift
done
[[ -z $build ]] || packaging/build.sh
own=$(dpkg --print-architecture)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/flagfall-package.XXXXXX")
clean() {
    mountpoint -q "$work/debian" && umount "$work/debian"
    rm -rf "$work"
}
trap clean EXIT

# The package $1 of the architecture $2, or of all.
file_of() {
    shopt -s nullglob
    local found=("$packages/$1"_*_{"${2:-$own}",all}.deb)
    shopt -u nullglob
    ((${#found[@]})) || fail "there is no $1 in $packages"
    echo "${found[-1]}"
}

# What can be seen without running the program.
check_package() { # name, architecture
    local name=$1 deb list bytes all needs newest
    deb=$(file_of "$name" "$2")
    lintian --fail-on error,warning "$deb" || fail "lintian: $deb"

    # Rights, owner and path of each file. The folders are those of Debian.
    dpkg-deb -c "$deb" | awk '$1 !~ /^d/ || $6 ~ /flagfall/ { print $1, $2, $6, $7, $8 }' | sed 's/ *$//' | sort -k 3 >"$work/contents"
    list=tests/package/$name.contents
    [[ -z ${FLAGFALL_BLESS:-} ]] || cp "$work/contents" "$list"
    diff -u "$list" "$work/contents" || fail "the contents of $deb are not those of $list; FLAGFALL_BLESS=1 writes it anew"

    [[ $name != flagfall-hall ]] || return 0
    rm -rf "$work/tree"
    dpkg-deb -x "$deb" "$work/tree"
    bytes=$(stat -c %s "$work/tree/usr/bin/flagfall") all=$(stat -c %s "$deb")
    say "$name for $2: the program has $bytes bytes of at most ${program[$name]}, the package $all of at most ${packed[$name]}"
    ((bytes <= program[$name] && all <= packed[$name])) || fail "$deb is too large"

    # What the package says of the libraries that it needs is true.
    needs=$(readelf -d "$work/tree/usr/bin/flagfall" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
    [[ $needs =~ ^(ld-linux[^ ]*\ )?libc\.so\.6\ libgcc_s\.so\.1\ (libm\.so\.6\ )?$ ]] || fail "$deb needs $needs"
    newest=$(readelf -W --dyn-syms "$work/tree/usr/bin/flagfall" | grep -v ' WEAK ' | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
    [[ -n $newest && $(printf 'GLIBC_2.34\n%s\n' "$newest" | sort -V | tail -n 1) == GLIBC_2.34 ]] || fail "$deb needs '$newest'"
    # The folder of cargo of any user: another one may have built it.
    for place in "$root" .cargo/registry; do
        ! grep -aqF "$place" "$work/tree/usr/bin/flagfall" || fail "$deb: the program contains $place"
    done
    grep -q dep-v0 <<<"$(readelf -SW "$work/tree/usr/bin/flagfall")" || fail "$deb: the list of libraries is not in the program"
    grep -q '^shakmaty ' "$work/tree/usr/share/doc/$name/third-party.txt" || fail "$deb: the licences of the libraries are missing"
}

for architecture in "$own" $(printf '%s\n' amd64 arm64 | grep -vx "$own"); do
    present=("$packages"/flagfall{,-node}_*_"$architecture".deb)
    [[ $architecture == "$own" || " ${required[*]} " == *" $architecture "* || -e ${present[0]} || -e ${present[1]} ]] ||
        { say "skipped: there is no package for $architecture"; continue; }
    for name in flagfall flagfall-node; do check_package "$name" "$architecture"; done
done
check_package flagfall-hall all

# The Debian: what the packages need, and nothing more.
if [[ ! -d $cache/debian ]]; then
    mkdir -p "$cache"
    rm -rf "$cache/new"
    mmdebstrap --variant=minbase --include=systemd,udev,procps --format=directory bookworm "$cache/new"
    mv "$cache/new" "$cache/debian"
fi
mkdir "$work/debian" "$work/upper" "$work/work"
mount -t overlay flagfall-package -o "lowerdir=$cache/debian,upperdir=$work/upper,workdir=$work/work" "$work/debian"
debian() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive chroot "$work/debian" "$@"; }
expect() { # what, expected, found
    [[ $3 == "$2" ]] || fail "$1: expected '$2', found '$3'"
    say "$1: $3"
}
install_package() { cp "$1" "$work/debian/package.deb" && debian dpkg --force-confold -i /package.deb >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "installation of $1"; }; }
# Names from inside, because the user exists only there.
rights_inside() { debian stat -c '%a %U:%G' "$1"; }
state() { debian dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | tr -d ' '; }

# A package with the next version and another default configuration, as of a release that comes later.
later() {
    dpkg-deb -R "$1" "$work/later"
    sed -i 's/^Version: .*/Version: 999-1/' "$work/later/DEBIAN/control"
    echo '# A key that is new.' >>"$work/later/etc/flagfall/flagfall.toml"
    (cd "$work/later" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | xargs -0 md5sum >DEBIAN/md5sums)
    dpkg-deb -Zgzip -z1 --root-owner-group -b "$work/later" "$work/later.deb" >/dev/null
    rm -rf "$work/later"
    echo "$work/later.deb"
}

full=$(file_of flagfall) node=$(file_of flagfall-node)
install_package "$full"
expect "the user's groups" "flagfall dialout" "$(debian id -nG flagfall)"
expect "/etc/flagfall" "750 root:flagfall" "$(rights_inside /etc/flagfall)"
expect "the configuration" "640 root:flagfall" "$(rights_inside /etc/flagfall/flagfall.toml)"
expect "flagfall.service" enabled "$(debian systemctl is-enabled flagfall)"
expect "flagfall-collect.service" disabled "$(debian systemctl is-enabled flagfall-collect || true)"
debian systemd-analyze verify --man=no flagfall.service flagfall-collect.service 2>"$work/verify" || true
expect "what systemd says of the units" "" "$(grep -i flagfall "$work/verify" || true)"
debian setpriv --reuid flagfall --regid flagfall --init-groups flagfall check-config >/dev/null || fail "the service's user cannot read the configuration"
debian flagfall demo --help >/dev/null || fail "the demonstration is missing"
# Whoever may not read it learns that, and not what the defaults would do.
denied=$(debian setpriv --reuid nobody --regid nogroup --clear-groups flagfall check-config 2>&1) && fail "nobody reads the configuration: $denied"
[[ $denied == */etc/flagfall/flagfall.toml:*sudo* ]] || fail "without the right to read the configuration: $denied"

# The commands of a program are those of the man page of its package.
commands_of() { debian flagfall --help | sed -n '/^Commands:/,/^$/p' | awk '/^  [a-z]/ { print $1 }' | sort | tr '\n' ' '; }
pages_of() { debian sh -c 'ls /usr/share/man/man1/flagfall-*.1.gz' | sed -E 's|.*/flagfall-(.*)\.1\.gz|\1|' | sort | tr '\n' ' '; }
same_commands() {
    local command
    for command in $(commands_of); do
        [[ " $(pages_of)" == *" $command "* ]] || fail "there is no man page of $command"
    done
    for command in $(pages_of); do
        debian sh -c "flagfall $(sed 's/^event-/event /; s/^fleet-/fleet /; s/^trace-/trace /' <<<"$command") --help" >/dev/null || fail "there is no command $command"
    done
}
# dpkg can be configured to leave manual pages out; mmdebstrap does not configure it so.
same_commands
say "each command has its man page"

echo '# A change of the administrator.' >>"$work/debian/etc/flagfall/flagfall.toml"
echo secret >"$work/debian/etc/flagfall/mqtt.password"
mkdir -p "$work/debian/var/lib/flagfall/12"
echo evidence >"$work/debian/var/lib/flagfall/12/1.journal"
kept() {
    grep -q 'A change of the administrator' "$work/debian/etc/flagfall/flagfall.toml" || fail "$1: the configuration is lost"
    [[ -s $work/debian/var/lib/flagfall/12/1.journal ]] || fail "$1: the journal is lost"
    expect "$1: the configuration" "640 root:flagfall" "$(rights_inside /etc/flagfall/flagfall.toml)"
}
install_package "$(later "$full")"
expect "upgraded to" 999-1 "$(debian dpkg-query -W -f '${Version}' flagfall)"
kept "after an upgrade"
[[ -e $work/debian/etc/flagfall/flagfall.toml.dpkg-dist ]] || fail "the new configuration is not offered"
install_package "$full"
expect "downgraded to" "$(dpkg-deb -f "$full" Version)" "$(debian dpkg-query -W -f '${Version}' flagfall)"
kept "after a downgrade"

install_package "$node"
# Only its configuration is left, whether its removal was asked for or came with the other package.
expect "flagfall after the installation of flagfall-node" c "$(state flagfall | cut -c 2)"
kept "after the change to flagfall-node"
same_commands
! debian flagfall demo --help >/dev/null 2>&1 || fail "flagfall-node has the demonstration"
debian dpkg --purge flagfall >/dev/null 2>&1 || fail "purge of flagfall"
kept "after a purge of the other package"

debian dpkg --purge flagfall-node >/dev/null 2>&1 || fail "purge of flagfall-node"
[[ ! -e $work/debian/etc/flagfall ]] || fail "purge leaves /etc/flagfall: $(ls -A "$work/debian/etc/flagfall")"
[[ -s $work/debian/var/lib/flagfall/12/1.journal ]] || fail "purge removes journals"
expect "the user after a purge" flagfall "$(debian id -un flagfall)"
leftovers=$(find "$work/debian/usr" "$work/debian/etc" "$work/debian/lib/systemd" -name '*flagfall*' 2>/dev/null || true)
expect "files after a purge" "" "$leftovers"

# The machine in the middle: its settings are those of the broker's service, which a stand-in is here.
mkdir -p "$work/debian/usr/lib/systemd/system"
printf '[Service]\nExecStart=/bin/true\n' >"$work/debian/usr/lib/systemd/system/mosquitto.service"
cp "$(file_of flagfall-hall)" "$work/debian/package.deb"
debian dpkg --force-depends -i /package.deb >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "installation of flagfall-hall"; }
debian systemd-analyze verify --man=no mosquitto.service 2>"$work/verify" || true
expect "what systemd says of the broker's settings" "" "$(grep -i 'flagfall' "$work/verify" || true)"
expect "/" "755 root:root" "$(rights_inside /)"
debian dpkg --force-depends --purge flagfall-hall >/dev/null 2>&1 || fail "purge of flagfall-hall"

# "A hall in an afternoon", as README.md has it.
umount "$work/debian"
tests/package/hall.sh "$cache" "$packages" "$(later "$full")"

# The program of another machine runs in an emulator.
for deb in "$packages"/flagfall_*_arm64.deb; do
    [[ -f $deb ]] || continue
    if ! command -v qemu-aarch64-static >/dev/null || ! aarch64-linux-gnu-gcc -shared -fPIC -o "$work/termios2.so" tests/package/termios2.c; then
        [[ " ${required[*]} " != *" arm64 "* ]] || fail "qemu-user-static, gcc-aarch64-linux-gnu or libc6-dev-arm64-cross is missing"
        say "skipped: qemu-user-static, gcc-aarch64-linux-gnu or libc6-dev-arm64-cross is missing"
        continue
    fi
    rm -rf "$work/tree"
    dpkg-deb -x "$deb" "$work/tree"
    timeout 600 qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_PRELOAD="$work/termios2.so" "$work/tree/usr/bin/flagfall" demo --once >"$work/demo.log" 2>&1 </dev/null ||
        { tail -n 30 "$work/demo.log"; fail "the demonstration on arm64"; }
    say "the demonstration on arm64 ran to its end"
done
say "all is well"
