// What each command asks for, and the sentence that says what will happen. The body has the fields of config/schema/cmd.<verb>.json.
import { formatTime } from '../common/clock.js';
import { resultSentence, sideName } from './words.js';

/**
 * @typedef {'side'|'result'|'number'|'text'|'choice'|'check'} FieldKind
 * @typedef {{name: string, label: string, kind: FieldKind, options?: [string, string][], min?: number, max?: number, optional?: boolean,
 *   pattern?: string, hint?: string, ready?: [string, string][]}} Field `ready`: values that are one tap, with their words
 * @typedef {Record<string, any>} Values
 * @typedef {object} Verb
 * @property {string} verb
 * @property {string} title
 * @property {Field[]} [fields]
 * @property {(values: Values) => Record<string, any>} [body] the body made of the fields; without it the body is empty
 * @property {(values: Values) => string} sentence
 * @property {string} [note]
 * @property {boolean} [asksWhy] a reason can be given
 */

/** What is said below every command that records something about the clock. */
const RECORD_ONLY = 'This records what you did; no clock is changed.';
const REVISION = 'The public sees a correction of the moves.';

/** What the Laws give after an illegal move (7.5.5, B.3), seconds. @type {[string, string][]} */
const MINUTES = [['60', '+1:00'], ['120', '+2:00']];

/** @type {Field} */
const SIDE = { name: 'side', label: 'Side', kind: 'side' };
const side = (/** @type {Values} */ values) => sideName(values.side) || '…';
/** @param {string} text */
const integer = (text) => (text === '' || text === undefined || text === null ? null : Number(text));
/** @type {[string, string][]} */
const GROUNDS = [['repetition', 'Third repetition'], ['fifty_moves', '50 moves'], ['additional_time', 'Additional time'], ['normal_means', 'No win by normal means']];
const groundName = (/** @type {string} */ ground) => GROUNDS.find(([name]) => name === ground)?.[1] ?? ground;

/** The time that is given or taken away, in words. @param {Values} values */
const given = ({ white, black }) => [['White', integer(white)], ['Black', integer(black)]].filter(([, seconds]) => Number.isInteger(seconds) && seconds)
  .map(([who, seconds]) => `${who} ${Number(seconds) < 0 ? 'loses' : 'gets'} ${formatTime(Math.abs(Number(seconds)) * 1000)}`).map((text, at) => (at ? ` and ${text}` : `: ${text}`)).join('');

/** @type {Record<string, Verb>} */
export const VERBS = {
  'confirm': { verb: 'confirm', title: 'Confirm', sentence: () => 'What is proposed is decided.', asksWhy: true },
  'reject': { verb: 'reject', title: 'The game goes on', sentence: () => 'What is proposed is not so: the game goes on.', asksWhy: true },
  'declare-result': {
    verb: 'declare-result', title: 'Declare the result', fields: [{ name: 'result', label: 'Result', kind: 'result' }],
    body: ({ result }) => ({ result }), sentence: ({ result }) => (result ? `${capital(resultSentence(result))}.` : 'Choose a result.'), asksWhy: true,
  },
  'claim': {
    verb: 'claim', title: 'Flag observed or claimed', fields: [{ ...SIDE, name: 'flag', label: 'Whose flag' }], body: ({ flag }) => ({ flag }),
    sentence: ({ flag }) => `${sideName(flag) || '…'}’s flag has fallen, observed or validly claimed.`,
  },
  'claim-on': {
    verb: 'claim', title: 'Claim of a draw or of time',
    fields: [SIDE, { name: 'ground', label: 'Ground', kind: 'choice', options: GROUNDS },
      { name: 'standing', label: 'Decision', kind: 'choice', options: [['lodged', 'Lodged, not decided yet'], ['accepted', 'Accepted'], ['refused', 'Refused']] },
      { name: 'uci', label: 'Move written down', kind: 'text', optional: true, pattern: '[a-h][1-8][a-h][1-8][qrbn]?', hint: 'such as e2e4; empty for the position on the board' }],
    body: ({ side: who, ground, standing, uci }) => ({ side: who, ground, standing, ...(uci && { uci }) }),
    sentence: (values) => `${side(values)} claims: ${groundName(values.ground ?? '') || '…'}. ${{ lodged: 'It is lodged.', accepted: 'It is accepted.', refused: 'It is refused.' }[/** @type {string} */ (values.standing)] ?? ''}`,
    asksWhy: true,
  },
  'offer': { verb: 'offer', title: 'Draw offered', fields: [SIDE], body: ({ side: who }) => ({ side: who }), sentence: (values) => `${side(values)} offered a draw.` },
  'accept': { verb: 'accept', title: 'Draw agreed', fields: [{ ...SIDE, label: 'Who accepted' }], body: ({ side: who }) => ({ side: who }), sentence: (values) => `${side(values)} accepted the offer: the game is drawn.`, asksWhy: true },
  'resign': { verb: 'resign', title: 'Resigned', fields: [SIDE], body: ({ side: who }) => ({ side: who }), sentence: (values) => `${side(values)} resigned.` },
  'penalty': {
    verb: 'penalty', title: 'Penalty or time',
    fields: [{ ...SIDE, label: 'Whom it is given to; who made the illegal move' },
      { name: 'white', label: 'Seconds for White', kind: 'number', optional: true, min: -86400, max: 86400, ready: MINUTES, hint: 'less than 0 = taken away' },
      { name: 'black', label: 'Seconds for Black', kind: 'number', optional: true, min: -86400, max: 86400, ready: MINUTES },
      { name: 'alarm', label: 'Alarm of the illegal move', kind: 'choice', options: [], optional: true },
      { name: 'counts', label: 'It counts towards the second illegal move', kind: 'check', optional: true }],
    body: ({ side: who, white, black, alarm, counts }) => ({
      side: who, ...((integer(white) || integer(black)) && { seconds: { white: integer(white) ?? 0, black: integer(black) ?? 0 } }),
      ...(alarm && { alarm: Number(alarm) }), ...((counts || alarm) && { counts: Boolean(counts) }),
    }),
    sentence: (values) => `A penalty or adjustment for ${side(values)} is recorded${given(values)}.`, note: 'Set the clock yourself: no clock is changed.', asksWhy: true,
  },
  'set-move-count': {
    verb: 'set-move-count', title: 'Moves completed',
    fields: [{ name: 'white', label: 'Moves that White completed', kind: 'number', min: 0, max: 1000 }, { name: 'black', label: 'Moves that Black completed', kind: 'number', min: 0, max: 1000 }],
    body: ({ white, black }) => ({ completed: { white: Number(white), black: Number(black) } }),
    sentence: ({ white, black }) => `White completed ${white ?? '…'} moves, Black ${black ?? '…'}.`, note: RECORD_ONLY,
  },
  'set-clock-record': {
    verb: 'set-clock-record', title: 'Setting of the clock',
    fields: [{ name: 'time_control', label: 'Time control from here on', kind: 'text', optional: true, hint: 'as in a PGN, such as 40/5400+30:1800+30' },
      { name: 'additional_time', label: 'Additional seconds per move', kind: 'number', optional: true, min: 0, max: 3600 },
      { name: 'flag_taken_back', label: 'A flag that you take back', kind: 'choice', optional: true, options: [['white', 'White’s'], ['black', 'Black’s']] }],
    body: ({ time_control, additional_time, flag_taken_back }) => ({
      ...(time_control && { time_control }), ...(integer(additional_time) !== null && { additional_time: integer(additional_time) }), ...(flag_taken_back && { flag_taken_back }),
    }),
    sentence: () => 'What you set on the clock is recorded.', note: RECORD_ONLY,
  },
  'set-flag-order': {
    verb: 'set-flag-order', title: 'Which flag fell first', fields: [{ ...SIDE, name: 'first', label: 'Fell first' }], body: ({ first }) => ({ first }),
    sentence: ({ first }) => `Of the two flags, ${sideName(first) || '…'}’s fell first.`,
  },
  'stop-clocks': { verb: 'stop-clocks', title: 'I stopped the clocks', sentence: () => 'You stopped both clocks.', note: RECORD_ONLY },
  'restart-clocks': { verb: 'restart-clocks', title: 'I restarted the clocks', sentence: () => 'You restarted the clock.', note: RECORD_ONLY },
  'swap-sides': { verb: 'swap-sides', title: 'Exchange the clock’s sides', sentence: () => 'White’s time is the other display from now on.', note: REVISION },
  'start-game': {
    verb: 'start-game', title: 'Begin a new game', fields: [{ name: 'fen', label: 'Start position (FEN)', kind: 'text', optional: true, hint: 'empty for the initial position' }],
    body: ({ fen }) => (fen ? { fen } : {}), sentence: () => 'A new game begins. The findings of the present game are closed with it.',
  },
  'take-back': { verb: 'take-back', title: 'Take moves back', sentence: () => 'Moves are taken back.', note: REVISION },
  'correct-move': { verb: 'correct-move', title: 'Correct a move', sentence: () => 'A move is corrected.', note: REVISION },
  'set-position': { verb: 'set-position', title: 'Set the position', sentence: () => 'The game goes on from this position.', note: REVISION },
  'set-round-game': {
    verb: 'set-round-game', title: 'Which is the round’s game?', sentence: () => 'It is recorded which game is the round’s.',
    note: 'If it is the round’s game, everybody sees it, the public later. If it is private, only arbiters see it.',
  },
  'acknowledge-alert': { verb: 'acknowledge-alert', title: 'Acknowledge the alarm', sentence: () => 'The alarm is dealt with and closed.', note: 'This cannot be undone.' },
  'bind-device': {
    verb: 'bind-device', title: 'Bind a device', fields: [{ name: 'device', label: 'Device', kind: 'choice', options: [] }], body: ({ device }) => ({ device }),
    sentence: ({ device }) => `from now on ${device || '…'} belongs to this board.`,
  },
};

/** What an arbiter and an operator find under "Do", in groups. @type {[string, string[]][]} */
export const GROUPS = [
  ['Result', ['declare-result', 'resign', 'offer', 'accept']],
  ['Claims', ['claim', 'claim-on', 'set-flag-order']],
  ['Penalty', ['penalty']],
  ['Clock', ['stop-clocks', 'restart-clocks', 'set-move-count', 'set-clock-record', 'swap-sides']],
  ['Game', ['start-game']],
];

/** Reasons that are ready for use; the words can be changed. */
export const REASONS = ['The flag had not fallen', 'The move was completed in time', 'The clock was set wrongly', 'The claim is not correct', 'After hearing both players'];

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** True if every field that is needed is there. @param {Verb} verb @param {Values} values */
export const isComplete = (verb, values) => (verb.fields ?? []).every((field) => {
  const value = values[field.name];
  if (value === undefined || value === '' || value === false) return Boolean(field.optional);
  if (field.kind === 'number') return Number.isInteger(Number(value)) && Number(value) >= (field.min ?? 0) && Number(value) <= (field.max ?? 1e9);
  return !field.pattern || new RegExp(`^(${field.pattern})$`).test(String(value));
});
