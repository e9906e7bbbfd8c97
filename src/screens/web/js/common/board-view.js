// A diagram. Many small ones are drawn as 64 cells, of which only those that changed are touched; a large one by chessground, which can
// draw arrows and slide the men. The style sheets are vendor/men.css and css/base.css.
import { Chessground } from '../../vendor/chessground.js';
import { menOf, positionText } from './position.js';

/**
 * @typedef {object} Marks
 * @property {string|[string, string]|null} [lastMove] UCI, or the two squares
 * @property {{from: string, to: string}[]} [arrows] only on large diagrams
 * @property {string[]} [outlined] squares with an outline, such as those that differ
 */

/**
 * Makes a diagram inside an element, which must have a width.
 * @param {HTMLElement} element
 * @param {{orientation?: 'white'|'black', coordinates?: boolean, small?: boolean}} [options]
 * @returns {{show(fen: string, marks?: Marks): boolean, orient(side: 'white'|'black'): void, destroy(): void}} `show` gives false for
 *   a text that is no position, and leaves the diagram as it was
 */
export function boardView(element, { orientation = 'white', coordinates = false, small = false } = {}) {
  element.setAttribute('role', 'img');
  element.classList.add('diagram');
  const drawing = small ? cells(element, orientation) : large(element, orientation, coordinates);
  let shown = '';
  return {
    show(fen, marks = {}) {
      const men = menOf(fen);
      if (!men) return false;
      const key = JSON.stringify([fen, marks]);
      if (key === shown) return true;
      shown = key;
      element.setAttribute('aria-label', positionText(fen));
      drawing.show(fen, men, squaresOf(marks.lastMove), marks.arrows ?? [], marks.outlined ?? []);
      return true;
    },
    orient: side => drawing.orient(side),
    destroy() {
      drawing.destroy();
      element.replaceChildren();
    },
  };
}

/** @param {string|string[]|null|undefined} move */
function squaresOf(move) {
  if (Array.isArray(move)) return move;
  return typeof move === 'string' && /^([a-h][1-8]){2}/.test(move) ? [move.slice(0, 2), move.slice(2, 4)] : [];
}

function cells(element, orientation) {
  const grid = document.createElement('div');
  grid.className = 'cells';
  const bySquare = new Map();
  for (let index = 0; index < 64; index += 1) {
    const cell = document.createElement('i');
    const square = 'abcdefgh'[index % 8] + (8 - Math.floor(index / 8));
    bySquare.set(square, { cell, ground: (index + Math.floor(index / 8)) % 2 ? 'dark' : 'light', written: '' });
    grid.append(cell);
  }
  grid.classList.toggle('turned', orientation === 'black');
  element.replaceChildren(grid);
  return {
    show(_fen, men, lastMove, _arrows, outlined) {
      for (const [square, entry] of bySquare) {
        const man = men.get(square);
        const classes = entry.ground + (man ? ` man ${man.role} ${man.color}` : '') +
          (lastMove.includes(square) ? ' last-move' : '') + (outlined.includes(square) ? ' outlined' : '');
        if (classes === entry.written) continue;
        entry.written = classes;
        entry.cell.className = classes;
      }
    },
    orient: side => grid.classList.toggle('turned', side === 'black'),
    destroy() {},
  };
}

function large(element, orientation, coordinates) {
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const board = document.createElement('div');
  element.replaceChildren(board);
  const ground = Chessground(board, {
    orientation,
    coordinates,
    viewOnly: true,
    disableContextMenu: true,
    animation: { enabled: !still, duration: 180 },
    drawable: { enabled: false, visible: true },
  });
  return {
    show(fen, _men, lastMove, arrows, outlined) {
      ground.set({ fen: fen.split(' ')[0], lastMove, highlight: { lastMove: true, custom: new Map(outlined.map(square => [square, 'outlined'])) } });
      ground.setAutoShapes(arrows.map(arrow => ({ orig: arrow.from, dest: arrow.to, brush: 'blue' })));
    },
    orient: side => ground.set({ orientation: side }),
    destroy: () => ground.destroy(),
  };
}
