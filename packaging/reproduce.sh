#!/usr/bin/env bash
# Builds the packages twice, in two folders with two folders of cargo, and compares the bytes. It takes twice the time of a build.
#
#   packaging/reproduce.sh [--target TRIPLE] [flagfall] [flagfall-node]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/var/tmp}/flagfall-reproduce.XXXXXX")
trap 'rm -rf "$work"' EXIT
for place in one another/place; do
    mkdir -p "$work/$place/source" "$work/$place/cargo/registry"
    git -C "$root" archive HEAD | tar -x -C "$work/$place/source"
    # The sources of the libraries are downloaded once.
    cp -a --reflink=auto "${CARGO_HOME:-$HOME/.cargo}/registry/"{index,cache} "$work/$place/cargo/registry/"
    env -u CARGO_TARGET_DIR CARGO_HOME="$work/$place/cargo" FLAGFALL_PACKAGES="$work/$place/packages" \
        "$work/$place/source/packaging/build.sh" "$@"
    rm -rf "$work/$place/source/target"
done
status=0
for package in "$work"/one/packages/*.{deb,ddeb}; do
    name=$(basename "$package")
    (cd "$work/one/packages" && sha256sum "$name")
    cmp "$package" "$work/another/place/packages/$name" || status=1
done
((status == 0)) || { echo "not the same: diffoscope shows where they differ" >&2; exit 1; }
echo "both builds are the same"
