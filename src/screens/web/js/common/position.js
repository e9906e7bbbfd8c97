// The placement of a FEN as data, and as a text for people who do not see the diagram. Touches no DOM.

const ROLES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };
const ORDER = 'kqrbnp';

/**
 * The men of a position by square, or null if the text is no position.
 * @param {string} fen a FEN, or only its first field
 * @returns {Map<string, {role: string, color: 'white'|'black'}>|null}
 */
export function menOf(fen) {
  const ranks = String(fen ?? '').split(' ')[0].split('/');
  if (ranks.length !== 8) return null;
  const men = new Map();
  for (const [row, rank] of ranks.entries()) {
    let file = 0;
    for (const letter of rank) {
      if (letter >= '1' && letter <= '8') {
        file += Number(letter);
        continue;
      }
      const role = ROLES[letter.toLowerCase()];
      if (!role || file > 7) return null;
      men.set('abcdefgh'[file] + (8 - row), { role, color: letter === letter.toLowerCase() ? 'black' : 'white' });
      file += 1;
    }
    if (file !== 8) return null;
  }
  return men;
}

/** The position in words: `White: Ke1, Qd1, a2. Black: Ke8. White to move.` */
export function positionText(fen) {
  const men = menOf(fen);
  if (!men) return 'No position.';
  const list = color => {
    const found = [...men].filter(([, man]) => man.color === color).map(([square, man]) => [letterOf(man.role), square]);
    found.sort((a, b) => ORDER.indexOf(a[0]) - ORDER.indexOf(b[0]) || (a[1] < b[1] ? -1 : 1));
    return found.map(([letter, square]) => (letter === 'p' ? square : letter.toUpperCase() + square)).join(', ') || 'none';
  };
  const turn = String(fen).split(' ')[1];
  const toMove = turn === 'w' ? ' White to move.' : turn === 'b' ? ' Black to move.' : '';
  return `White: ${list('white')}. Black: ${list('black')}.${toMove}`;
}

function letterOf(role) {
  return role === 'knight' ? 'n' : role[0];
}
