// The order of the lists of operations: what is wrong comes first, and nothing changes its place under a finger.

/** So long after a touch every row stays where it is, milliseconds. */
const STAYS = 3000;

/**
 * Rows with what is wrong first, else in the order in which they come.
 * @template T
 * @param {import('./app.js').App} app
 * @param {string} list its name
 * @param {T[]} rows
 * @param {(row: T) => string} keyOf
 * @param {(row: T) => number} wrongness 0 for what is good
 * @returns {T[]}
 */
export function worstFirst(app, list, rows, keyOf, wrongness) {
  app.ui.orders ??= new Map();
  /** @type {Map<string, number>|undefined} */
  const before = app.ui.orders.get(list);
  if (before && app.now() - app.lock.touchedAt() < STAYS) {
    const place = (/** @type {T} */ row) => before.get(keyOf(row)) ?? before.size;
    return rows.sort((one, other) => place(one) - place(other));
  }
  rows.sort((one, other) => wrongness(other) - wrongness(one));
  app.ui.orders.set(list, new Map(rows.map((row, index) => [keyOf(row), index])));
  return rows;
}
