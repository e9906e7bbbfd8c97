// Says whether the fields that the pages use have the form of config/schema. A message with another form is dropped as a whole.

/** @typedef {(value: unknown) => boolean} Check */

/** @type {Check} */
const text = (value) => typeof value === 'string';
/** @type {Check} */
const number = (value) => typeof value === 'number' && Number.isFinite(value);
/** @type {Check} */
const truth = (value) => typeof value === 'boolean';
/** @param {...string} words @returns {Check} */
const one = (...words) => (value) => typeof value === 'string' && words.includes(value);
/** @param {Check} check @returns {Check} */
const maybe = (check) => (value) => value === undefined || value === null || check(value);
/** @param {Check} check @returns {Check} */
const list = (check) => (value) => Array.isArray(value) && value.every(check);
/** @param {Record<string, Check>} fields @returns {Check} */
const shape = (fields) => (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  && Object.entries(fields).every(([name, check]) => check(/** @type {Record<string, unknown>} */ (value)[name]));

const side = one('white', 'black');
const result = one('1-0', '0-1', '1/2-1/2', '*');
const span = list(number);
const player = shape({ name: maybe(text), title: maybe(text), rating: maybe(number), federation: maybe(text) });
const players = maybe(shape({ white: maybe(player), black: maybe(player) }));
const clock = shape({
  white_ms: maybe(number), black_ms: maybe(number), running: maybe(side), read_us: number, resolution_ms: number, source: text,
});
const clockStatus = one('not_available', 'not_heard', 'reporting', 'lost');
const liveMove = shape({ ply: number, san: text, uci: text, white_ms: maybe(number), black_ms: maybe(number) });
const move = shape({
  ply: number, color: side, san: text, uci: text, made_at: span, pressed_at: maybe(span), how: maybe(text),
  completed_at: maybe(span), white_ms: maybe(number), black_ms: maybe(number), after_flag: truth,
});
const pair = (/** @type {Check} */ check) => shape({ white: check, black: check });
/** @param {Check} moves @returns {Check} */
const segments = (moves) => maybe(list(shape({ initial_fen: text, moves: list(moves) })));
const key = shape({ id: number, revision: number });
// The kind is an open list: a page shows a word that it does not know.
const alert = shape({
  id: number, kind: text, class: one('loud', 'silent', 'note'), status: text, side: maybe(side), squares: list(text),
  set_up: maybe(list(shape({ square: text, expected: maybe(text), stands: maybe(text) }))), sentence: maybe(text),
  choices: maybe(list(shape({ label: text, verb: text, body: shape({}) }))),
  opened_at: number, closed_at: maybe(number),
});
const claim = shape({ side, ground: text, standing: text, uci: maybe(text), correct: maybe(truth), note: maybe(text) });
const decision = shape({
  number, kind: text, result, side: maybe(side), finding: maybe(key), claim: maybe(claim), by: maybe(text), reason: maybe(text),
  observed_at: maybe(number), at: number, supersedes: maybe(number),
});
const choice = shape({ label: text, verb: text, body: shape({ result: maybe(result) }) });
const screen = shape({
  headline: text, act: text, proposal: text, besides: maybe(list(text)), moves: text, why: text, line: maybe(text),
  final_position: maybe(text), check: list(text), unknown: list(text), rules: text, choices: list(choice),
});
const finding = shape({
  id: number, revision: number, kind: text, flag: maybe(side), outcome: text, contested: truth, conditional: truth,
  alternatives: list(shape({ depends_on: text, outcome: text })), position: text, evidence: list(text),
  winnable: shape({ verdict: text }), status: text, unknown: list(text), claim: maybe(claim), decision: maybe(decision),
  screen: maybe(screen),
});
const flag = shape({ side, path: text, period: number, observed_at: maybe(number), expired_at: span, number: maybe(number) });

const parts = maybe(shape({ total: number, sum: number }));

/** @type {Record<string, Check>} The check of the body, by type and audience. */
const BODIES = {
  'live board.state': shape({
    initial_fen: text, fen: text, moves: list(liveMove), moves_from: maybe(number), parts, segments: segments(liveMove), clock, clock_status: maybe(clockStatus),
    link: maybe(one('up', 'down')), result: maybe(result), players, withdrawn: maybe(truth),
  }),
  'arbiter board.state': shape({
    stage: text, initial_fen: text, fen: text, board: text, rotated: truth, moves: list(move), moves_from: maybe(number), parts,
    pending: list(move),
    segments: segments(move), phase: text, completed: pair(maybe(number)), period: pair(number), recording: pair(text), clock,
    clock_status: clockStatus, lever_up: maybe(side), flags: list(flag), alarms: list(alert), finding: maybe(finding),
    decisions: maybe(list(decision)), entries: maybe(list(shape({ kind: text, side, happened_at: span }))),
    hints: list(shape({ kind: text, result, at: number })), ending: maybe(text), result: maybe(result), players,
    after_illegal_move: maybe(shape({ by: side, initial_fen: text, moves: list(move) })), unpublished: maybe(text),
    after_result: maybe(list(move)),
    touched_men: maybe(list(shape({ man: text, square: text, ply: number, lifted_at: span, put_back_at: span }))),
  }),
  'arbiter board.moves': shape({ initial_fen: maybe(text), moves: (value) => list(move)(value) && /** @type {unknown[]} */ (value).length <= 16, after: number, sum: number }),
  'live board.clock': clock,
  'arbiter board.alert': alert,
  'arbiter board.ruling': (value) => finding(value)
    || (!shape({ id: number })(value) && shape({ decision })(value)),
  'arbiter board.move': move,
  'arbiter board.audit': shape({ what: text }),
  'node.status': shape({ state: one('init', 'ready', 'stopped', 'lost') }),
  'node.info': shape({ version: text, boards: list(text), rounds: maybe(list(text)), delay: maybe(number) }),
  'node.health': shape({ journal_ok: truth, failed_boards: list(text), withheld_boards: list(text) }),
  'node.output': shape({}),
  'meta.event': shape({ name: text, round: text }),
  'device.status': shape({
    state: one('online', 'offline', 'unstable'), kind: one('board', 'clock'), transport: text, port: maybe(text),
    board: maybe(text), problem: maybe(text), serial: maybe(text), firmware: maybe(text), battery_percent: maybe(number),
    charging: maybe(truth), signal_dbm: maybe(number), dropouts: maybe(number), warnings: maybe(list(text)),
    weak_squares: maybe(list(shape({ square: text }))), weak_men: maybe(list(shape({ man: text, began: text }))),
  }),
  'cmd.reply': shape({ stage: one('accepted', 'done', 'failed'), code: text, message: text, game: maybe(text), rev: maybe(number) }),
};

const header = shape({ v: text, type: text, body: shape({}) });
const time = shape({ us: number, utc: text, sync: text });

/**
 * True for a message that can be used as a message of this type. `kind` is a key of the table above.
 * @param {string} kind
 * @param {any} message
 */
export function isReadable(kind, message) {
  const type = kind.split(' ').pop();
  // A will and the messages of the organiser have no time.
  const timeless = type === 'node.status' || type === 'meta.event';
  return header(message) && message.type === type && (time(message.t) || (timeless && message.t === undefined))
    && (message.boot === undefined || number(message.boot)) && (message.rev === undefined || number(message.rev))
    && (BODIES[kind]?.(message.body) ?? false);
}
