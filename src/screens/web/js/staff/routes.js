// Where on a page the user is: in the query of the address, never a secret.
import { findingOf, isAbout, isOpen, openFinding } from './needs.js';
import { boardsNow } from './rounds.js';
import { readSetting } from './session.js';

/** @typedef {{board: string, view: string, tab: string, alarm: string, theme: string}} Route `alarm`: the number of one on a ruling */

/** @returns {Route} */
export function readRoute() {
  const query = new URLSearchParams(location.search);
  return { board: query.get('board') ?? '', view: query.get('view') ?? '', tab: query.get('tab') ?? '', alarm: query.get('alarm') ?? '',
    theme: query.get('theme') ?? '' };
}

/** The address of a route. @param {Partial<Route>} route */
export function hrefOf(route) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(route)) if (value) query.set(name, value);
  const text = query.toString();
  return text ? `?${text}` : location.pathname;
}

/**
 * Goes somewhere on this page.
 * @param {import('./app.js').App} app
 * @param {Partial<Route>} route
 * @param {boolean} [replace] without a step in the history
 */
export function go(app, route, replace = false) {
  const full = { theme: app.route.theme, ...route };
  history[replace ? 'replaceState' : 'pushState'](null, '', hrefOf(full));
  app.route = readRoute();
  app.resubscribe();
  app.paint(true);
  if (!replace) scrollTo(0, 0);
}

/** The handler of a link that stays on the page; a new tab works as everywhere. @param {import('./app.js').App} app @param {Partial<Route>} route */
export const goOnClick = (app, route) => (/** @type {MouseEvent} */ event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(app, route);
};

/** The board of a route: by its whole key, or by its id where the present round has it. @param {import('./app.js').App} app */
export function boardOfRoute(app) {
  const { board } = app.route;
  if (!board) return null;
  const { boards } = app.model;
  const now = boardsNow(app).filter((one) => one.id === board);
  const here = now.find((one) => one.event === app.config.event && one.round === app.config.round);
  return boards.get(board) ?? here ?? now[0] ?? [...boards.values()].find((one) => one.id === board) ?? null;
}

/** How a board is named in an address: by its id, where that is not ambiguous. @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function boardName(app, board) {
  for (const other of boardsNow(app)) if (other !== board && other.id === board.id) return board.key;
  return board.id;
}

/**
 * Where an alarm, a row or a tile leads: to the ruling first, with the tab of an alarm that it is not about; else to the board.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {import('../../messages').AlertBody|null} [alert]
 * @returns {Partial<Route>}
 */
export function placeOf(app, board, alert = null) {
  const name = { board: boardName(app, board) };
  const finding = findingOf(board);
  const isItsOwn = finding && alert && isAbout(finding, alert);
  if (isItsOwn || (openFinding(board) && !alert)) return { ...name, view: 'ruling' };
  if (openFinding(board) && alert?.class === 'loud' && isOpen(alert)) return { ...name, view: 'ruling', alarm: String(alert.id) };
  return { ...name, view: 'board', ...(alert && { tab: 'alarms' }) };
}

/** @param {Route} route */
export function applyTheme(route) {
  document.documentElement.dataset.theme = route.theme || readSetting('theme', 'dark');
}
