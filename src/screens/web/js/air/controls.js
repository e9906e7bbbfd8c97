// Buttons and keys of the big board. Keys with a letter can be switched off, for people who speak to their machine (WCAG 2.1.4).
import { button, connectionSign, el, setClass, setShown, setText } from './dom.js';

const LETTERS = 'flagfall.letter-keys';

/**
 * @param {{logOut(): void, step(by: number): void, first(): void, live(): void, flip(): void, board(by: number): void}} act
 */
export function bigControls(act) {
  const first = button('', '«', act.first);
  const back = button('', '‹', () => act.step(-1));
  const text = el('span', 'shown');
  text.setAttribute('aria-live', 'polite');
  const forward = button('', '›', () => act.step(1));
  const live = button('to-live', 'live ▸', act.live);
  const flip = button('', '⇅', act.flip);
  const names = /** @type {[HTMLElement, string][]} */ ([[first, 'First position'], [back, 'One move back'], [forward, 'One move on'], [flip, 'Turn the board']]);
  for (const [element, name] of names) {
    element.setAttribute('aria-label', name);
    element.title = name;
  }
  const element = el('div', 'controls', first, back, text, forward, live, flip);
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', 'Moves');

  const wall = el('a', 'button', '‹ All');
  const before = button('', '‹', () => act.board(-1));
  const after = button('', '›', () => act.board(1));
  before.setAttribute('aria-label', 'Previous board');
  after.setAttribute('aria-label', 'Next board');
  const title = el('h1');
  const event = el('span', 'muted event');
  const state = connectionSign();
  const help = keyHelp();
  const logOut = button('log-out', 'Log out', act.logOut);
  const header = el('header', 'board-header', wall, before, title, after, event, el('span', 'gap'), state.element, logOut, help.element);

  document.addEventListener('keydown', pressed => {
    if (pressed.ctrlKey || pressed.altKey || pressed.metaKey || (pressed.target instanceof Element && pressed.target.closest('input, textarea, select'))) return;
    /** @type {Record<string, () => void>} */
    const letters = help.letters() ? { j: () => act.board(1), k: () => act.board(-1), f: act.flip } : {};
    /** @type {Record<string, () => void>} */
    const keys = { ArrowLeft: () => act.step(-1), ArrowRight: () => act.step(1), Home: act.first, End: act.live,
      PageDown: () => act.board(1), PageUp: () => act.board(-1), ...letters };
    if (!Object.hasOwn(keys, pressed.key)) return;
    pressed.preventDefault();
    keys[pressed.key]();
  });

  return {
    element,
    header,
    update(shown) {
      setText(text, shown.text);
      first.disabled = shown.atStart;
      back.disabled = shown.atStart;
      forward.disabled = !shown.back;
      live.disabled = !shown.back;
      setClass(live, 'primary', shown.back);
    },
    describe({ event: name, round, board, link, audience, canLogOut }) {
      setShown(logOut, canLogOut);
      setText(title, `Board ${board}`);
      setText(event, round ? `${name} · round ${round}` : name);
      state.update(link.state, audience === 'live' ? 'live, undelayed' : 'connected');
      const query = new URLSearchParams(window.location.search);
      query.delete('board');
      const address = `../wall/?${query}`;
      if (wall.getAttribute('href') !== address) wall.setAttribute('href', address);
      setShown(wall, window.top === window.self);
    },
  };
}

function keyHelp() {
  const tick = el('input');
  tick.type = 'checkbox';
  try {
    tick.checked = window.localStorage.getItem(LETTERS) !== 'off';
  } catch {
    tick.checked = true;
  }
  tick.addEventListener('change', () => {
    try {
      window.localStorage.setItem(LETTERS, tick.checked ? 'on' : 'off');
    } catch {
      // In a frame the choice holds as long as the page.
    }
  });
  const lines = [['← →', 'step through the moves'], ['Home End', 'first position, live'], ['PageUp PageDown', 'other board'],
    ['j k', 'next, previous board'], ['f', 'turn the board']];
  const listed = el('dl', '', ...lines.flatMap(([keys, what]) => [el('dt', '', keys), el('dd', '', what)]));
  const element = el('details', 'keys', el('summary', 'button', 'Keys'), el('div', 'sheet', listed, el('label', 'tick', tick, 'Keys with letters')));
  return { element, letters: () => tick.checked };
}
