// A game as a line of half-moves with a position each, for stepping through it. Touches no DOM.
import { Chess, makeFen, parseFen, parseUci } from '../../vendor/chessops.js';
import { moveRows, moveText } from '../common/format.js';

/**
 * @typedef {object} Step
 * @property {import('../common/format.js').Move} move
 * @property {string} text with its number
 * @property {number} part which part of the game; a new one begins where no legal move leads on
 * @property {string} fen the position after it
 */

/**
 * The line of a game. Positions are made once for each part that changed.
 * @returns {(body: any) => {steps: Step[], start: string, parts: {rows: ReturnType<typeof moveRows>, first: number}[]}} `first`: index
 *   of the first step of the part
 */
export function gameLine() {
  let key = '';
  /** @type {any} */
  let line = null;
  return body => {
    const segments = [...(body.segments ?? []), { initial_fen: body.initial_fen, moves: body.moves, first: body.moves_from ?? 1 }];
    const wanted = JSON.stringify([segments, body.fen]);
    if (wanted === key) return line;
    /** @type {Step[]} */
    const steps = [];
    const parts = segments.map((segment, part) => {
      const first = steps.length;
      const fens = positions(segment.initial_fen, segment.moves);
      segment.moves.forEach((move, index) => {
        steps.push({ move, part, text: moveText(move, segment.initial_fen, segment.first ?? 1), fen: fens[index] });
      });
      return { rows: moveRows(segment.moves, segment.initial_fen), first };
    });
    if (body.moves.length > 0) steps[steps.length - 1].fen = body.fen;
    key = wanted;
    line = { steps, start: segments[0].initial_fen, parts };
    return line;
  };
}

/** The positions after each move; after a move that cannot be played the position before it stays. */
function positions(fen, moves) {
  const setup = parseFen(fen);
  const chess = setup.isOk ? Chess.fromSetup(setup.value) : setup;
  if (!chess.isOk) return moves.map(() => fen);
  return moves.map(({ uci }) => {
    const move = parseUci(uci);
    if (move) chess.value.play(move);
    return makeFen(chess.value.toSetup());
  });
}
