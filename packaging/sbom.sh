#!/usr/bin/env bash
# Writes the list of all libraries in the programs of the packages, with versions and licences (CycloneDX), to target/packages, or to
# $FLAGFALL_PACKAGES.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
command -v cargo-cyclonedx >/dev/null || { echo "cargo install --locked cargo-cyclonedx --version 0.5.9" >&2; exit 2; }
out=${FLAGFALL_PACKAGES:-${CARGO_TARGET_DIR:-$root/target}/packages}
mkdir -p "$out"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -d "$(sed -n 's/^ -- .*>  //p' packaging/debian/changelog | head -n 1)" +%s)}
export SOURCE_DATE_EPOCH

# cargo-cyclonedx writes one file beside each manifest of the workspace.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$work"
cd "$work"
cargo cyclonedx --quiet --format json --target x86_64-unknown-linux-gnu --no-build-deps --override-filename flagfall.cdx
mv flagfall.cdx.json "$out/"
echo "$out/flagfall.cdx.json"
