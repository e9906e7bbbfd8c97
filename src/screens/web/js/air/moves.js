// The list of moves of the big board. A row is made once; a step only moves the mark.
import { el, button } from './dom.js';

/**
 * @param {(step: number) => void} onChoose gets the number of half-moves after which the position is wanted
 */
export function moveList(onChoose) {
  const element = el('ol', 'moves');
  element.tabIndex = 0;
  element.setAttribute('aria-label', 'Moves');
  /** @type {{key: string, cells: HTMLElement[]}[]} */
  let rows = [];
  /** @type {any[]|null} */
  let line = null;
  let marked = -1;

  function write(parts) {
    const wanted = rowsOf(parts);
    let same = 0;
    while (same < rows.length && same < wanted.length && rows[same].key === wanted[same].key) same += 1;
    while (element.children.length > same) element.lastElementChild?.remove();
    rows = wanted.map((row, index) => {
      if (index < same) return rows[index];
      const [made, cells] = row.make();
      element.append(made);
      return { key: row.key, cells };
    });
  }

  function rowsOf(parts) {
    return parts.flatMap(({ rows: lines, first }, part) => {
      let step = first;
      const made = lines.map(({ number, white, black }) => {
        const before = step;
        step += (white ? 1 : 0) + (black ? 1 : 0);
        return { key: `${part} ${before} ${number} ${white?.san} ${black?.san}`, make: () => moveRow(number, white, black, before) };
      });
      const gap = { key: `part ${part} ${first}`, make: () => [el('li', 'break muted', 'goes on from this position'), []] };
      return part > 0 ? [gap, ...made] : made;
    });
  }

  function moveRow(number, white, black, before) {
    const cells = [];
    const cell = move => {
      if (!move) return el('span', 'move none', '…');
      const after = before + cells.length + 1;
      const made = button('move', move.san, () => onChoose(after));
      cells.push(made);
      return made;
    };
    const row = el('li', 'row', el('span', 'no muted', `${number}.`), cell(white), ...(black ? [cell(black)] : []));
    return [row, cells];
  }

  return {
    element,
    /** @param {{parts: any[], at: number}} shown `at`: half-moves after which the position is shown */
    update(shown) {
      if (shown.parts === line && shown.at === marked) return;
      if (shown.parts !== line) write(shown.parts);
      line = shown.parts;
      marked = shown.at;
      const cells = rows.flatMap(row => row.cells);
      cells.forEach((cell, index) => {
        const isShown = index === marked - 1;
        if (isShown === cell.classList.contains('shown')) return;
        cell.classList.toggle('shown', isShown);
        if (isShown) cell.setAttribute('aria-current', 'step');
        else cell.removeAttribute('aria-current');
      });
      const mark = cells[marked - 1];
      element.scrollTop = mark ? mark.offsetTop - (element.clientHeight - mark.offsetHeight) / 2 : 0;
    },
  };
}
