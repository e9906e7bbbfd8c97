// Runs the page of lichess.org for electronic boards in node, with a stub of the Board API: arguments are the bundle of the page,
// the address of the LiveChess API, and the replies of the opponent in UCI notation. Each move that the page sends is printed.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [bundle, url, ...replies] = process.argv.slice(2);
const WebSocket = createRequire(pathToFileURL(bundle))('ws');
const say = text => process.stderr.write(text + '\n');
const castled = { e1h1: 'e1g1', e8h8: 'e8g8', e1a1: 'e1c1', e8a8: 'e8c8' };

globalThis.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address, { origin: 'https://lichess.org' });
  }
  send(text) {
    super.send(text);
    if (text.includes('"setup"')) say('SETUP');
  }
};
const element = { innerHTML: '', scrollHeight: 0, clientHeight: 0, scrollTop: 0 };
globalThis.document = { getElementById: () => element };
const stored = { 'dgt-livechess-url': url, 'dgt-speech-keywords': null };
globalThis.localStorage = { getItem: key => stored[key] ?? null };
globalThis.speechSynthesis = { speak() {}, cancel() {}, getVoices: () => [] };
globalThis.SpeechSynthesisUtterance = class {};
console.clear = () => {};
for (const name of ['log', 'info', 'debug', 'table']) console[name] = () => {};

const game = { moves: [], status: 'started' };
let stream;
const encode = value => new TextEncoder().encode(JSON.stringify(value) + '\n');
const state = () => ({ type: 'gameState', moves: game.moves.join(' '), wtime: 9e5, btime: 9e5, winc: 0, binc: 0, status: game.status });
const player = id => ({ id, name: id, title: null, rating: 1500 });
const full = () => ({
  type: 'gameFull', id: 'game1', variant: { key: 'standard', name: 'Standard', short: 'Std' }, speed: 'rapid', rated: false,
  clock: { initial: 900000, increment: 0 }, white: player('me'), black: player('you'), initialFen: 'startpos', state: state(),
});
const streamed = first => new Response(new ReadableStream({ start: controller => first(controller) }));

globalThis.fetch = async (path, options = {}) => {
  const move = /\/move\/(\w+)/.exec(path)?.[1];
  if (options.method === 'POST' && move) {
    say('MOVE ' + move);
    game.moves.push(castled[move] ?? move);
    stream.enqueue(encode(state()));
    const reply = replies.shift();
    setTimeout(() => {
      if (reply) game.moves.push(reply);
      else game.status = 'resign';
      stream.enqueue(encode(state()));
      say(reply ? 'REPLY ' + reply : 'END ' + game.moves.join(' '));
    }, 100);
    return new Response('{"ok":true}');
  }
  if (path === '/api/account') return new Response(JSON.stringify({ id: 'me', username: 'me', perfs: {} }));
  // The page must know who it is before a game begins.
  const start = controller => controller.enqueue(encode({ type: 'gameStart', game: { id: 'game1' } }));
  if (path === '/api/stream/event') return streamed(controller => setTimeout(start, 500, controller));
  return streamed(controller => {
    stream = controller;
    controller.enqueue(encode(full()));
  });
};

// A game that does not go on is a failure of the test, which waits for the end of this program.
setTimeout(() => process.exit(1), 60_000);
const page = await import(pathToFileURL(bundle));
page.default('token');
