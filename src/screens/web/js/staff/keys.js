// Keys of the arbiters' page. Letters are dead in fields, and can be switched off.
import { shownBoards } from './hall.js';
import { boardName, boardOfRoute, go } from './routes.js';
import { readSetting } from './session.js';
import { closeSheet } from './sheet.js';

/** @type {[string, string][]} */
export const KEYS = [
  ['/', 'search'], ['j  k', 'next, previous'], ['Enter', 'open'], ['Esc', 'back'], ['n', 'what has waited longest'], ['1–9, Enter', 'board with this number'],
  ['c  g  o', 'on a ruling: to Confirm, Goes on, Other'], ['r', 'record'], ['f', 'flip the board'], ['m', 'sound on or off'], ['L', 'lock'], ['?', 'this list'],
];

/** How long a typed number waits for the next digit or Enter, milliseconds. */
const NUMBER_WAITS = 2500;

/** @param {import('./app.js').App} app @param {{toggleSound: () => void}} also */
export function listenToKeys(app, also) {
  let number = '';
  let timer = 0;
  const setNumber = (/** @type {string} */ text) => {
    number = text;
    app.ui.number = text;
    clearTimeout(timer);
    if (text) timer = window.setTimeout(() => setNumber(''), NUMBER_WAITS);
    app.paint(true);
  };

  addEventListener('keydown', (event) => {
    if (!app.session || event.ctrlKey || event.metaKey || event.altKey) return;
    if (app.session.locked) return app.lock.press(event.key);
    const target = /** @type {HTMLElement} */ (event.target);
    const field = target.matches('input, select, textarea');
    if (event.key === 'Escape') return escape(app, target, field);
    if (field || app.ui.sheet || readSetting('keys', 'on') !== 'on') return;
    if (/^[0-9]$/.test(event.key)) return setNumber((number + event.key).slice(0, 4));
    if (event.key === 'Enter' && number) {
      event.preventDefault();
      const wanted = number;
      setNumber('');
      const board = shownBoards(app).all.find(({ board: one }) => one.id.replace(/^\D*0*/, '') === wanted || one.id === wanted)?.board;
      if (board) go(app, { board: boardName(app, board), view: board.ruling ? 'ruling' : 'board' });
      return;
    }
    if (act(app, event.key, also)) event.preventDefault();
  });
}

/** @param {import('./app.js').App} app @param {HTMLElement} target @param {boolean} field */
function escape(app, target, field) {
  if (app.ui.sheet) return closeSheet(app);
  if (field) return target.blur();
  if (app.ui.help || app.ui.menu) Object.assign(app.ui, { help: false, menu: false });
  else if (app.route.board) go(app, {});
  app.paint(true);
}

/** @param {import('./app.js').App} app @param {string} key @param {{toggleSound: () => void}} also @returns {boolean} whether the key means something */
function act(app, key, also) {
  const board = boardOfRoute(app);
  const focus = (/** @type {string} */ id) => document.getElementById(id)?.focus();
  switch (key) {
    case '/': focus('search'); return true;
    case 'j': return step(1);
    case 'k': return step(-1);
    case 'n': /** @type {HTMLElement|null} */ (document.querySelector('.need:not(.closed) a'))?.click(); return true;
    case 'c': focus('choice-confirm'); return true;
    case 'g': focus(document.getElementById('choice-none') ? 'choice-confirm' : 'choice-goes-on'); return true;
    case 'o': focus('choice-other'); return true;
    case 'r': if (board) go(app, { board: app.route.board, view: 'board', tab: 'record' }, true); return true;
    case 'f': app.ui.flipped = !app.ui.flipped; app.paint(true); return true;
    case 'm': also.toggleSound(); return true;
    case 'L': case 'l': app.lock.lock(); return true;
    case '?': app.ui.help = !app.ui.help; app.paint(true); return true;
    default: return false;
  }
}

/** Moves the focus along the rows and tiles. @param {number} by */
function step(by) {
  const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.need a, .tile a')]);
  const at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
  return true;
}
