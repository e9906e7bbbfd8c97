#!/usr/bin/env bash
# Makes the Debian packages in target/packages, or in $FLAGFALL_PACKAGES. See README.md beside this file.
#
#   packaging/build.sh [--target TRIPLE] [flagfall] [flagfall-node]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

target=() packages=()
while (($#)); do
    case $1 in
        --target) target=(--target "$2"); shift ;;
        flagfall | flagfall-node) packages+=("$1") ;;
        *) echo "usage: packaging/build.sh [--target TRIPLE] [flagfall] [flagfall-node]" >&2; exit 2 ;;
    esac
    shift
done
((${#packages[@]})) || packages=(flagfall flagfall-node)

for tool in cargo-deb=3.8.0 cargo-auditable=0.7.7; do
    name=${tool%=*}
    command -v "$name" >/dev/null || { echo "$name is missing: cargo install --locked $name --version ${tool#*=}" >&2; exit 2; }
done

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
for package in "${packages[@]}"; do
    variant=()
    [[ $package == flagfall ]] || variant=(--variant "${package#flagfall-}")
    cargo deb --locked --profile dist --no-strip --cargo-build "auditable build" "${variant[@]}" "${target[@]}" --output "$out/"
done
