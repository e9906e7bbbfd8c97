// The words for alarms, acts, results and signs. What a ruling says comes with it: these pages know no Laws.
import { resultText } from '../common/format.js';

/**
 * What each kind of alarm is called, and in whose list on `/operations/` it is besides. The class comes with the message.
 * `desk`: to be looked into at the desk, nobody walks over. `device`: about a device or a program, with the lower sound.
 * @type {Record<string, {title: string, words: string, device?: true, operations?: true, desk?: true}>}
 */
export const ALARMS = {
  flag: { title: 'flag', words: 'The flag fell' },
  illegal_move: { title: 'illegal move', words: 'No legal move stands on the board, and the clock was pressed' },
  promotion_not_replaced: { title: 'pawn not replaced', words: 'A pawn stands on its last rank, and the clock was pressed' },
  pressed_without_move: { title: 'pressed without a move', words: 'The clock was pressed, and nothing had been moved' },
  fivefold_repetition: { title: 'fivefold repetition', words: 'The same position for the fifth time' },
  seventy_five_moves: { title: '75 moves', words: '75 moves by each side without a pawn move or capture' },
  dead_position: { title: 'dead position', words: 'Neither side can mate' },
  pieces_displaced: { title: 'men displaced', words: 'Several squares changed at once, and it is not one move' },
  wrong_clock_running: { title: 'wrong clock runs', words: 'The clock of the side that is not to move was started' },
  clock_at_zero: { title: 'clock at zero', words: 'A display shows zero and no flag sign' },
  clock_setting_differs: { title: 'clock set wrongly', words: 'Times or additions do not fit the time control', operations: true },
  clock_count_differs: { title: 'clock counts differently', words: 'The clock added a period at another move than the required one' },
  clock_sides_differ: { title: 'clock turned round?', words: 'The first presses contradict the configured side of White’s clock' },
  wrong_set_up: { title: 'men set up wrongly', words: 'Almost a position in which a game begins', operations: true },
  board_lost: { title: 'board lost', words: 'The board does not answer', device: true, operations: true },
  board_failed: { title: 'board given up', words: 'The program gave this board up; its bytes are still recorded', device: true, operations: true },
  clock_lost: { title: 'clock lost', words: 'The clock is unplugged, or runs and is not heard', device: true, operations: true },
  battery_critical: { title: 'battery almost empty', words: 'The board may go out at any moment', device: true, operations: true },
  publish_refused: { title: 'messages refused', words: 'The broker does not take messages of this board', device: true, operations: true },
  not_recorded: { title: 'not recorded', words: 'The journal cannot be written', device: true, operations: true },
  name_taken: { title: 'node runs twice', words: 'A second program publishes under the name of this node', device: true, operations: true },
  incomplete_move: { title: 'move not completed', words: 'A move is made and not completed' },
  piece_in_hand: { title: 'man in hand', words: 'A man has been in the hand for more than five seconds' },
  moved_by_wrong_side: { title: 'moved by the wrong side', words: 'A move by the side whose clock stands still' },
  position_differs: { title: 'board differs', words: 'Board and game differ, and nobody is moving' },
  king_missing: { title: 'king missing', words: 'A king that nobody should be holding is not on the board' },
  too_many_men: { title: 'too many men', words: 'More men than a game can have' },
  ambiguous: { title: 'ambiguous move', words: 'More than one legal move explains what the board shows', operations: true, desk: true },
  unreachable: { title: 'no legal way', words: 'No legal moves lead from the game to what the board shows', operations: true, desk: true },
  link_gap: { title: 'moves not seen', words: 'Moves were made while the board was not seen', operations: true, desk: true },
  promotion_unconfirmed: { title: 'promoted to what?', words: 'A pawn was promoted, and the board cannot tell to what', operations: true, desk: true },
  default_time_over: { title: 'default time over', words: 'The player has not made a move within the default time' },
  reopened: { title: 'game goes on again', words: 'The game seemed to be over, and it goes on' },
  kings_in_centre: { title: 'kings in the centre', words: 'The kings show a result that nobody has entered' },
  unreadable_square: { title: 'square unreadable', words: 'A square gives no usable reading', device: true, operations: true },
  weak_square: { title: 'weak square', words: 'A square loses its man again and again', device: true, operations: true },
  weak_man: { title: 'weak man', words: 'A man is lost again and again, wherever it stands', device: true, operations: true },
  battery_low: { title: 'battery low', words: 'The board’s battery is to be charged', device: true, operations: true },
  clock_battery_low: { title: 'clock battery low', words: 'The clock shows its battery warning', device: true, operations: true },
  weak_signal: { title: 'weak signal', words: 'The board’s radio may be lost at any moment', device: true, operations: true },
  clock_weak_signal: { title: 'weak signal of the clock', words: 'The clock’s radio may be lost at any moment', device: true, operations: true },
  clock_not_started: { title: 'clock not started', words: 'The first move was made, and no clock runs' },
  flag_after_end: { title: 'flag after the end', words: 'A flag fell after the game had ended' },
  joined_in_progress: { title: 'joined in progress', words: 'How many moves were completed is not known' },
  unpublished_game: { title: 'which is the round’s game?', words: 'Only arbiters see the game on the board, and the round’s game has no result' },
  position_to_restore: { title: 'set up the position', words: 'Another board serves the game and shows another position', operations: true },
  result_missing: { title: 'result missing', words: 'The old game ended without a result, and a new one was set up' },
  clock_sides_exchanged: { title: 'clock sides exchanged', words: 'The players press the other player’s side of the clock' },
  clock_lever_inverted: { title: 'lever inverted', words: 'The clock says the opposite of whose time falls; the times are believed' },
};

/** @param {string} kind */
export const alarmOf = (kind) => ALARMS[kind] ?? { title: kind.replaceAll('_', ' '), words: kind.replaceAll('_', ' ') };

/** @param {string|null|undefined} side */
export const sideName = (side) => (side === 'white' ? 'White' : side === 'black' ? 'Black' : '');

/** The alarm's name, with the side where there is one: "White flag". @param {import('../../messages').AlertBody} alert */
export function alarmTitle(alert) {
  const { title } = alarmOf(alert.kind);
  const side = sideName(alert.side);
  if (alert.kind === 'flag') return side ? `${side} flag` : 'Flag';
  return side && !alarmOf(alert.kind).device ? `${side}: ${title}` : title.charAt(0).toUpperCase() + title.slice(1);
}

/** One line about an alarm. @param {import('../../messages').AlertBody} alert */
export function alarmLine(alert) {
  const setUp = alert.set_up ?? [];
  const parts = [alert.sentence || alarmOf(alert.kind).words];
  if (setUp.length) parts.push(setUp.map(setUpLine).join(', '));
  else if (alert.squares.length) parts.push(alert.squares.slice(0, 8).join(' ') + (alert.squares.length > 8 ? ' …' : ''));
  if (alert.status === 'corrected_on_board') parts.push('put right on the board; still to be ruled on');
  return parts.map((part) => part.replace(/\.$/, '')).join(' · ');
}

/** @type {Record<string, string>} */
const MEN = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

/** A man in words, by the letter of a FEN. @param {string} letter */
export const manName = (letter) => `${letter === letter.toUpperCase() ? 'white' : 'black'} ${MEN[letter.toLowerCase()] ?? letter}`;

/** What is wrong on one square. @param {import('../../messages').SetUpBody} square */
export function setUpLine({ square, expected, stands }) {
  if (!expected) return `${square}: ${manName(stands ?? '?')} must go`;
  return `${square}: ${manName(expected)} missing${stands ? `, ${manName(stands)} stands there` : ''}`;
}

/** @type {Record<string, string>} The first act of a ruling. */
const ACTS = {
  stop_the_clocks: 'Go and stop the clocks.',
  wait_for_a_claim: 'Do not signal the flag. Wait for a claim.',
  ask_for_the_result: 'Ask the players for the result.',
  nothing: 'Nothing to do.',
};
/** @param {string} act */
export const actWords = (act) => ACTS[act] ?? act.replaceAll('_', ' ');

/** A result as a short sign; `*` is a decision that the game goes on. @param {string|null|undefined} result */
export const resultSign = (result) => (result === '*' ? 'goes on' : resultText(result));

/** @type {Record<string, string>} */
const SENTENCES = { '1-0': 'White wins', '0-1': 'Black wins', '1/2-1/2': 'the game is drawn', '*': 'the game goes on, without a result' };
/** @param {string} result */
export const resultSentence = (result) => SENTENCES[result] ?? result;

/**
 * What a decision on an illegal move says of the offence (7.5.5); null where the result says it.
 * @param {import('../../messages').Finding} finding @param {string} verb
 */
export function illegalSentence(finding, verb) {
  if (finding.kind !== 'illegal_move') return null;
  if (verb === 'reject') return 'It was no illegal move and does not count. The game goes on.';
  return verb === 'confirm' && finding.outcome === 'game_goes_on' ? 'The illegal move counts. The game goes on.' : null;
}

/** @type {Record<string, string>} A proposal on a tile. */
const OUTCOMES = {
  white_wins: 'White wins?', black_wins: 'Black wins?', draw: 'Draw?', game_goes_on: 'Goes on?', undecided: 'You decide',
  result_not_entered: 'Result not entered',
};
/** @param {string} outcome */
export const outcomeWords = (outcome) => OUTCOMES[outcome] ?? outcome.replaceAll('_', ' ');

/** The result that an outcome gives; null for an outcome that gives none. @param {string} outcome */
export const resultOf = (outcome) =>
  ({ white_wins: '1-0', black_wins: '0-1', draw: '1/2-1/2', game_goes_on: '*' })[outcome] ?? null;

/**
 * True if this result needs a reason: what has happened is known, gives another result and has no ruling. The node refuses it without.
 * @param {any} ruling the finding that is shown, if there is one
 * @param {string} verb
 * @param {Record<string, any>} body
 */
export function isAgainst(ruling, verb, body) {
  const draws = verb === 'accept' || (verb === 'claim' && body.standing === 'accepted' && body.ground !== 'additional_time');
  const result = draws ? '1/2-1/2' : verb === 'declare-result' ? body.result : null;
  const wasSeen = ['flag_fall', 'move_on_board', 'illegal_move'].includes(ruling?.kind);
  if (!wasSeen || ruling.conditional || ruling.decision || !result || result === '*') return false;
  const proposed = resultOf(ruling.outcome);
  if (draws) return proposed !== '*' && proposed !== result;
  return proposed !== null && proposed !== '*' && proposed !== result
    && !ruling.alternatives.some((/** @type {any} */ one) => resultOf(one.outcome) === result);
}
