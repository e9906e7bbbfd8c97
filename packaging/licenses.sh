#!/usr/bin/env bash
# Writes the licences of the libraries in a program: each text once, under the names of the libraries that have it.
#
#   packaging/licenses.sh FILE [features and target, as for cargo tree]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
file=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name vVERSION LICENCE; those of this workspace have their folder in brackets.
cargo tree --locked --edges normal,no-proc-macro --prefix none --format '{p} {l}' "$@" |
    sed 's/ (\*)$//' | grep -v ' (/' | LC_ALL=C sort -u >"$work/libraries"
while read -r name version licence; do
    folders=("${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$name-${version#v}")
    [[ -d ${folders[0]} ]] || { echo "the source of $name ${version#v} is missing" >&2; exit 1; }
    texts=0
    while read -r text; do
        sum=$(sha256sum <"$text" | cut -c 1-16)
        cp "$text" "$work/$sum.text"
        echo "$name ${version#v}" >>"$work/$sum.names"
        texts=$((texts + 1))
    done < <(find "${folders[0]}" -maxdepth 1 -type f | grep -iE '/(un)?(licen[cs]e|copying|notice|copyright)[^/]*$' | LC_ALL=C sort)
    ((texts)) || echo "$name ${version#v}: $licence" >>"$work/without"
done <"$work/libraries"

mkdir -p "$(dirname "$file")"
{
    echo "The program contains these libraries. Each text stands once, under the names of the libraries that have it."
    [[ ! -s $work/without ]] || { printf '\nThese libraries have only the name of their licence:\n\n' && cat "$work/without"; }
    # In the order of the first library that has the text.
    for names in "$work"/*.names; do echo "$(head -n 1 "$names") $names"; done | LC_ALL=C sort | while read -r _ _ names; do
        printf '\n%s\n%s\n%s\n\n' "$(printf '=%.0s' {1..80})" "$(uniq "$names")" "$(printf -- '-%.0s' {1..80})"
        cat "${names%.names}.text"
    done
} >"$file"
