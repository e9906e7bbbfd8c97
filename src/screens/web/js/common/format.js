// Texts of a game for people: names, results, ages, moves. Gives strings for text nodes, never markup. Touches no DOM.

/**
 * @typedef {{name?: string|null, title?: string|null, rating?: number|null, federation?: string|null}} Player
 * @typedef {{ply: number, san: string, uci: string, white_ms: number|null, black_ms: number|null}} Move
 */

/** The longest name that is shown; names are untrusted and bounded at 200 letters by the schema. */
const LONGEST_NAME = 120;
/** Characters that would turn the direction of the text around a name, or start a new line in it. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Letters that no accent was added to, so that their decomposition is themselves. @type {Record<string, string>} */
const PLAIN = { æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ß: 'ss', ı: 'i', ħ: 'h', ŋ: 'n', ŧ: 't', ĸ: 'k', ŀ: 'l', ɓ: 'b', ɗ: 'd', ə: 'e', '’': "'", 'ʻ': "'", 'ʼ': "'" };

/** A text for a search: without accents and capitals, `Łukasz Ünlü` as `lukasz unlu`. @param {string} text */
export const foldAccents = (text) => text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').replace(/[^\u0000-\u007f]/gu, (letter) => PLAIN[letter] ?? letter);

/** The cut text with an ellipsis, counted in whole characters. */
export function shorten(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('').trimEnd()}…` : text;
}

/** The player's name with the title before it, or '' if it is not known. @param {Player|null|undefined} player */
export function playerName(player) {
  const name = cleanName(player?.name);
  return name && player?.title ? `${player.title} ${name}` : name;
}

/** The family name where the name is written `Family, Given`, else the whole name; at most `most` letters. */
export function shortName(player, most = 20) {
  const name = cleanName(player?.name);
  return shorten(name.includes(',') ? name.slice(0, name.indexOf(',')).trim() || name : name, most);
}

function cleanName(name) {
  return typeof name === 'string' ? shorten(name.replace(CONTROLS, ' ').replace(/\s+/g, ' ').trim(), LONGEST_NAME) : '';
}

/** `1–0`, `½–½`, `0–1`; '' without a result. @param {string|null|undefined} result as in the messages */
export function resultText(result) {
  return { '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½' }[result ?? ''] ?? '';
}

/** The points of one side, `1`, `½` or `0`; '' without a result. */
export function pointsText(result, side) {
  return { '1-0': ['1', '0'], '0-1': ['0', '1'], '1/2-1/2': ['½', '½'] }[result ?? '']?.[side === 'white' ? 0 : 1] ?? '';
}

/** The result in words for a person who hears the page. */
export function resultWords(result) {
  return { '1-0': 'White wins', '0-1': 'Black wins', '1/2-1/2': 'Draw' }[result ?? ''] ?? '';
}

/** What ended the game on the board, in words; an unknown word is shown as it is. */
export function endingText(ending) {
  const words = { checkmate: 'checkmate', stalemate: 'stalemate', dead_position: 'dead position',
    fivefold_repetition: 'fivefold repetition', seventy_five_moves: '75 moves' };
  return ending ? (words[ending] ?? ending.replaceAll('_', ' ')) : '';
}

/** An age: `12 s`, `1:40`, `14 min`, `2 h 05`. @param {number} ms milliseconds */
export function ageText(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = value => String(value).padStart(2, '0');
  if (s < 60) return `${s} s`;
  if (s < 600) return `${Math.floor(s / 60)}:${two(s % 60)}`;
  if (s < 5400) return `${Math.floor(s / 60)} min`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)}`;
}

/** The time of day on this device: `23:04`, with seconds `23:04:09`. @param {number} ms milliseconds since 1970 */
export function timeOfDay(ms, seconds = false) {
  const date = new Date(ms);
  const parts = [date.getHours(), date.getMinutes(), ...(seconds ? [date.getSeconds()] : [])];
  return parts.map(value => String(value).padStart(2, '0')).join(':');
}

/** Who moves first in a position, and with which number. @param {string} fen @returns {{number: number, white: boolean}} */
export function startOf(fen) {
  const fields = String(fen ?? '').split(' ');
  const number = Number.parseInt(fields[5] ?? '1', 10);
  return { number: Number.isInteger(number) && number > 0 && number < 10000 ? number : 1, white: fields[1] !== 'b' };
}

/**
 * A move with its number: `21. Nf3` or `18… c5`. Gives '' without a move.
 * @param {Move|undefined} move
 * @param {string} fen the position before the first move of the list
 * @param {number} first the ply of the first move of the list
 */
export function moveText(move, fen, first = 1) {
  if (!move) return '';
  const { number, white } = moveNumber(move.ply - first, fen);
  return `${number}${white ? '.' : '…'} ${move.san}`;
}

function moveNumber(index, fen) {
  const start = startOf(fen);
  const half = index + (start.white ? 0 : 1);
  return { number: start.number + Math.floor(half / 2), white: half % 2 === 0 };
}

/**
 * The moves in rows of a score sheet.
 * @param {Move[]} moves
 * @param {string} fen the position before the first of them
 * @returns {{number: number, white: Move|null, black: Move|null}[]}
 */
export function moveRows(moves, fen) {
  const rows = [];
  moves.forEach((move, index) => {
    const { number, white } = moveNumber(index, fen);
    if (white || rows.length === 0) rows.push({ number, white: white ? move : null, black: white ? null : move });
    else rows[rows.length - 1].black = move;
  });
  return rows;
}
