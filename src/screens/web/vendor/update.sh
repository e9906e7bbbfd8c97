#!/usr/bin/env bash
# Makes the libraries of the pages again: one ES module each, with the versions of package-lock.json.
# Needs node and npm. To change a version: edit package.json, run `npm install --package-lock-only` here, then this script.
set -euo pipefail
vendor=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$vendor/package.json" "$vendor/package-lock.json" "$work/"
cd "$work"
# The scripts of packages are not run: esbuild works without its own.
npm ci --ignore-scripts --no-audit --no-fund --silent

modules=$work/node_modules
bundle() { # FILE ENTRY OPTION...
    printf '%s\n' "$2" >entry.js
    "$modules/.bin/esbuild" entry.js --bundle --minify --format=esm --platform=browser --target=es2022 \
        --legal-comments=inline --log-level=warning --outfile="$vendor/$1" "${@:3}"
}

# Of mqtt only the client over WebSocket is needed: a third less to load than its own bundle. Left out are its timers in a worker, which
# the policy of the pages forbids, its messages for developers, and what node needs.
echo "export const setInterval = undefined, clearInterval = undefined;" >no-worker.js
echo "module.exports = () => () => {};" >no-debug.js
echo "module.exports = {};" >nothing.js
echo "export { Buffer } from 'buffer'; export * as process from 'process/browser.js';" >globals.js
bundle mqtt.js "import Client from 'mqtt/lib/client';
import { browserStreamBuilder } from 'mqtt/lib/connect/ws';
export function connect(address, options) {
  const { protocol, hostname, port, pathname, search } = new URL(address);
  const all = { ...options, protocol: protocol.slice(0, -1), hostname, port: port && Number(port), path: pathname + search };
  return new Client(client => browserStreamBuilder(client, all), all);
}" --alias:worker-timers=./no-worker.js --alias:debug=./no-debug.js --alias:ws=./nothing.js \
    --alias:buffer="$modules/buffer/index.js" --alias:events="$modules/events/events.js" --inject:globals.js
bundle chessops.js "export { Chess } from 'chessops/chess';
export * from 'chessops/fen';
export * from 'chessops/san';
export * from 'chessops/util';
export { chessgroundDests, chessgroundMove } from 'chessops/compat';
export { SquareSet } from 'chessops/squareSet';"
bundle chessground.js "export { Chessground } from '@lichess-org/chessground';"
# The policy of the pages forbids a style in an attribute; men.css says the same.
style=',style:"color-scheme:light only"'
grep -qF "$style" "$vendor/chessground.js"
sed -i "s/$style//" "$vendor/chessground.js"
bundle lit-html.js "export { html, svg, render, nothing, noChange } from 'lit-html';
export { repeat } from 'lit-html/directives/repeat.js';
export { classMap } from 'lit-html/directives/class-map.js';
export { ifDefined } from 'lit-html/directives/if-defined.js';
export { live } from 'lit-html/directives/live.js';
export { guard } from 'lit-html/directives/guard.js';
export { keyed } from 'lit-html/directives/keyed.js';
export { ref, createRef } from 'lit-html/directives/ref.js';"

# The men also serve the light drawing of boards (class `man`). `will-change` for each man costs most of the time of a page with forty boards.
assets=$modules/@lichess-org/chessground/assets
{
    cat "$assets/chessground.base.css"
    sed -E 's/^\.cg-wrap (piece\.[a-z]+\.(white|black)) \{/.cg-wrap \1, .man\1 {/; s/\.manpiece\./.man./' "$assets/chessground.cburnett.css"
    printf '\n.cg-wrap piece, cg-board square, cg-board square.last-move { will-change: auto; }\n.cg-wrap svg { color-scheme: light only; }\n'
} >"$vendor/men.css"

node "$vendor/readme.js" "$modules" "$vendor"
