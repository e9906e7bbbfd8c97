// Whether the bodies of messages are what the schemas say (config/schema: board.state.live, board.clock, node.status, meta.event), as
// far as the pages read them. Unknown fields are ignored. Touches no DOM.

const isText = value => typeof value === 'string';
const isCount = value => Number.isInteger(value) && value >= 0;
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isAbsent = value => value === undefined || value === null;
const isOneOf = (...words) => value => words.includes(value);
const isMaybe = check => value => isAbsent(value) || check(value);
const isFen = value => isText(value) && value.length <= 120;

const isTime = value => value === null || isCount(value);
const isMove = move => isObject(move) && isCount(move.ply) && move.ply > 0 && isText(move.san) && move.san.length <= 12 &&
  isText(move.uci) && /^([a-h][1-8]){2}[qrbn]?$/.test(move.uci) && isTime(move.white_ms) && isTime(move.black_ms);
const isMoves = value => Array.isArray(value) && value.every(isMove);
const isSegment = part => isObject(part) && isFen(part.initial_fen) && isMoves(part.moves);
const isPlayer = player => isObject(player) && isMaybe(isText)(player.name) && isMaybe(isText)(player.title) &&
  isMaybe(isCount)(player.rating) && isMaybe(isText)(player.federation);

/** The clock block. @param {any} body */
export function isClock(body) {
  return isObject(body) && isTime(body.white_ms) && isTime(body.black_ms) && isOneOf('white', 'black', null)(body.running) &&
    isCount(body.read_us) && isCount(body.resolution_ms) && isText(body.source);
}

/** The picture of a board. @param {any} body */
export function isBoardState(body) {
  return isObject(body) && isCount(body.game_no) && isFen(body.initial_fen) && isFen(body.fen) && isMoves(body.moves) &&
    isClock(body.clock) && isMaybe(isOneOf('1-0', '0-1', '1/2-1/2', '*'))(body.result) && isMaybe(isText)(body.ending) &&
    isMaybe(isOneOf('up', 'down'))(body.link) && isMaybe(isText)(body.clock_status) && isMaybe(isCount)(body.moves_from) &&
    isMaybe(parts => isObject(parts) && isCount(parts.total) && isCount(parts.sum))(body.parts) &&
    isMaybe(value => Array.isArray(value) && value.every(isSegment))(body.segments) &&
    isMaybe(value => isObject(value) && isMaybe(isPlayer)(value.white) && isMaybe(isPlayer)(value.black))(body.players);
}

/** Earlier moves of a board's game. @param {any} body */
export function isMovesPart(body) {
  return isObject(body) && isMaybe(isFen)(body.initial_fen) && isMoves(body.moves) && body.moves.length <= 16 && isCount(body.after) && isCount(body.sum);
}

/** @param {any} body */
export function isNodeStatus(body) {
  return isObject(body) && isOneOf('init', 'ready', 'stopped', 'lost')(body.state);
}

/** @param {any} body */
export function isMetaEvent(body) {
  return isObject(body) && isText(body.name) && isText(body.round) && /^[a-z0-9-]{1,40}$/.test(body.round) && isMaybe(isCount)(body.delay);
}

/** Whether a message of a board has the header that the store needs. @param {any} message */
export function hasBoardHeader(message) {
  return isText(message.game) && isText(message.node) && isCount(message.boot) && isCount(message.rev) && isObject(message.t) &&
    isCount(message.t.us) && isText(message.t.utc);
}
