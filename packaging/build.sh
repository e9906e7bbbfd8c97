#!/usr/bin/env bash
# Makes the Debian packages in target/packages, or in $FLAGFALL_PACKAGES. See README.md beside this file.
#
#   packaging/build.sh [--target TRIPLE] [flagfall] [flagfall-node] [flagfall-hall]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

target=() packages=()
while (($#)); do
    case $1 in
        --target) target=(--target "$2"); shift ;;
        flagfall | flagfall-node | flagfall-hall) packages+=("$1") ;;
        *) echo "usage: packaging/build.sh [--target TRIPLE] [flagfall] [flagfall-node] [flagfall-hall]" >&2; exit 2 ;;
    esac
    shift
done
((${#packages[@]})) || packages=(flagfall flagfall-node flagfall-hall)

# Another version of cargo-deb may write other bytes. cargo-auditable does not say its version.
[[ $(cargo-deb --version 2>/dev/null) == "cargo-deb 3.8.0" ]] || { echo "cargo install --locked cargo-deb --version 3.8.0" >&2; exit 2; }
command -v cargo-auditable >/dev/null || { echo "cargo install --locked cargo-auditable --version 0.7.7" >&2; exit 2; }

# The same source gives the same bytes wherever it lies: the times in the packages are those of the changelog, and no path of this
# machine is in the program.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -d "$(sed -n 's/^ -- .*>  //p' packaging/debian/changelog | head -n 1)" +%s)}
export SOURCE_DATE_EPOCH
folders=("$root=/flagfall" "${CARGO_HOME:-$HOME/.cargo}=/cargo")
[[ -z ${CARGO_TARGET_DIR:-} ]] || folders+=("$(realpath -m "$CARGO_TARGET_DIR")=/target")
# A path may contain spaces, so the flags are separated as cargo wants it.
CARGO_ENCODED_RUSTFLAGS=$(printf -- '--remap-path-prefix=%s\x1f' "${folders[@]}")
export CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%$'\x1f'}
export CFLAGS="${CFLAGS:-}$(printf -- ' -ffile-prefix-map=%s' "${folders[@]}")"
# Rights of files in the packages do not depend on those of the check-out.
umask 022

out=${FLAGFALL_PACKAGES:-${CARGO_TARGET_DIR:-$root/target}/packages}
mkdir -p "$out"

# The package without a program: dependencies and settings of the machine in the middle of a hall.
hall_package() {
    local tree version
    tree=$(mktemp -d)
    chmod 755 "$tree"
    version=$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)
    install -D -m 644 packaging/hall/mosquitto.conf "$tree/usr/lib/systemd/system/mosquitto.service.d/flagfall.conf"
    install -D -m 755 packaging/hall/sign-packages "$tree/usr/share/flagfall-hall/sign-packages"
    install -D -m 644 packaging/debian/copyright "$tree/usr/share/doc/flagfall-hall/copyright"
    sed 's/^flagfall (/flagfall-hall (/' packaging/debian/changelog | gzip -9n >"$tree/usr/share/doc/flagfall-hall/changelog.Debian.gz"
    install -D -m 644 packaging/hall/lintian-overrides "$tree/usr/share/lintian/overrides/flagfall-hall"
    mkdir "$tree/DEBIAN"
    sed "s/VERSION/$version/g" packaging/hall/control >"$tree/DEBIAN/control"
    (cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    dpkg-deb -Zxz --root-owner-group -b "$tree" "$out/flagfall-hall_${version}_all.deb"
    rm -rf "$tree"
}

for package in "${packages[@]}"; do
    [[ $package != flagfall-hall ]] || { hall_package; continue; }
    variant=() features=()
    [[ $package == flagfall ]] || variant=(--variant "${package#flagfall-}") features=(--no-default-features --features ble,outputs)
    packaging/licenses.sh "packaging/third-party/$package.txt" "${features[@]}" "${target[@]}"
    cargo deb --locked --profile dist --dbgsym --cargo-build "auditable build" "${variant[@]}" "${target[@]}" --output "$out/"
done
