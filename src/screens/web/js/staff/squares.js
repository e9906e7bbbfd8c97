// Compares positions square by square.

/** The squares on which two placements differ. @param {string} one @param {string} other FENs or their first fields */
export function differing(one, other) {
  const [first, second] = [one, other].map(spread);
  if (!first || !second) return [];
  return first.flatMap((man, index) => (man === second[index] ? [] : ['abcdefgh'[index % 8] + (8 - Math.floor(index / 8))]));
}

/** @param {string} fen @returns {string[]|null} the 64 squares, from a8 on */
export function spread(fen) {
  const squares = [...fen.split(' ')[0].replaceAll('/', '')].flatMap((sign) => (/[1-8]/.test(sign) ? Array(Number(sign)).fill('') : [sign]));
  return squares.length === 64 ? squares : null;
}

/** The man on a square, as a FEN has it; '' for an empty square. @param {string} fen @param {string} square such as `e2` */
export const manOn = (fen, square) => spread(fen)?.[(8 - Number(square[1])) * 8 + 'abcdefgh'.indexOf(square[0])] ?? '';
