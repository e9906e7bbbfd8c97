// Writes README.md and LICENSES.txt of this folder; update.sh runs it.
const { createHash } = require('node:crypto');
const { existsSync, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const [modules, vendor] = process.argv.slice(2);
const files = {
  'lit-html.js': ['lit-html', 'Templates of the pages'],
  'mqtt.js': ['mqtt', 'MQTT over WebSocket; only `js/common/link.js` imports it'],
  'chessops.js': ['chessops', 'Moves, SAN and FEN, for stepping through a game and for the editor'],
  'chessground.js': ['@lichess-org/chessground', 'The large diagram'],
  'men.css': ['@lichess-org/chessground', 'Its style sheet and the men (by Colin M. L. Burnett, GPL-2.0-or-later)'],
};
const manifest = name => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
const licenceText = name => {
  const file = readdirSync(join(modules, name)).find(entry => /^licen[cs]e/i.test(entry));
  return file ? readFileSync(join(modules, name, file), 'utf8').trim() : '(The package has no text of its licence.)';
};
const plain = text => text.replaceAll('\r', '').replace(/[ \t]+$/gm, '');

const rows = Object.entries(files).map(([file, [name, purpose]]) => {
  const sum = createHash('sha256').update(readFileSync(join(vendor, file))).digest('hex');
  const { version, license } = manifest(name);
  return `| \`${file}\` | ${name} ${version} | ${license} | ${purpose} | \`${sum}\` |`;
});
const own = ['mqtt', 'lit-html'].map(name => `## ${name}\n\n\`\`\`text\n${plain(licenceText(name))}\n\`\`\`\n`);
writeFileSync(join(vendor, 'README.md'), `# Libraries of the pages

Made by \`update.sh\` from the packages of \`package-lock.json\`; do not edit. Each is one ES module, so the pages need no build.

| file | package | licence | purpose | SHA-256 |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

chessops and chessground have the licence of this program; its text is [LICENSE](../../../../LICENSE). \`mqtt.js\` contains packages of
others, whose licences are in [LICENSES.txt](LICENSES.txt).

${own.join('\n')}`);

// The lock file lists what mqtt may load; the packages for node alone are named too, which does no harm.
const lock = JSON.parse(readFileSync(join(vendor, 'package-lock.json'), 'utf8')).packages;
const inside = Object.keys(lock)
  .filter(path => path && !lock[path].dev && !lock[path].optional)
  .map(path => path.slice('node_modules/'.length))
  .filter(name => !name.startsWith('@types/') && !Object.values(files).some(([known]) => known === name) && existsSync(join(modules, name)))
  .sort();
const texts = inside.map(name => {
  const { version, license } = manifest(name);
  return `${'='.repeat(100)}\n${name} ${version} (${license})\n\n${plain(licenceText(name))}\n`;
});
writeFileSync(join(vendor, 'LICENSES.txt'), texts.join('\n'));
