// The lock screen: the name of the event, the time and how many needs are open, and nothing of any board, for players look at tablets too.
import { html, nothing } from '../../vendor/lit-html.js';
import { timeOfDay } from '../common/format.js';
import { tryPin as askServer } from '../common/token.js';
import { TRIES, readSetting, writeSession, writeSetting } from './session.js';

/** A page that was hidden this long is locked. Milliseconds. */
const HIDDEN_TOO_LONG = 5 * 60_000;
/** For so long after a new need the page does not lock itself: somebody is coming to look. Milliseconds. */
const LOOK_FOR = 60_000;

/** After how many seconds without a touch this device locks itself; 0 = never, for a desk. */
export const lockAfter = () => Number(readSetting('lock-after', '300'));
/** @param {number} seconds */
export const setLockAfter = (seconds) => writeSetting('lock-after', String(seconds));

/** @param {import('./app.js').App} app */
export function newLock(app) {
  let touched = app.now();
  let finger = 0;
  let hiddenSince = 0;
  let typed = '';
  let asking = false;
  let unanswered = false;

  /** @param {boolean} locked */
  function become(locked) {
    if (!app.session || app.session.locked === locked) return;
    app.session.locked = locked;
    if (!locked) app.session.wrong = 0;
    typed = '';
    touched = app.now();
    writeSession(app.session);
    app.paint(true);
  }
  /** Locks the page after this long without a touch, milliseconds. @param {number} since @param {number} after */
  const lockItself = (since, after) => { if (app.now() - since > after && app.now() - (app.ui.newNeedAt ?? 0) > LOOK_FOR) become(true); };
  const touch = () => { touched = finger = app.now(); };
  for (const name of ['pointerdown', 'keydown', 'wheel', 'touchstart']) addEventListener(name, touch, { passive: true });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenSince = app.now();
    else lockItself(hiddenSince, HIDDEN_TOO_LONG);
  });

  function tryPin() {
    const { session } = app;
    if (!session || asking) return;
    const pin = typed;
    typed = '';
    unanswered = false;
    if (session.pin) return judge(session, pin === session.pin ? 'right' : 'wrong', pin);
    // Only the server knows the PIN of a page that was loaded again.
    asking = true;
    askServer(session.token, pin).then((answer) => {
      asking = false;
      if (app.session === session) judge(session, answer, pin);
      if (typed.length === session.digits) tryPin();
    });
  }
  /** @param {import('./session.js').Session} session @param {'right'|'wrong'|'ended'|'unanswered'} answer @param {string} pin */
  function judge(session, answer, pin) {
    if (answer === 'right') {
      session.pin = pin;
      return become(false);
    }
    unanswered = answer === 'unanswered';
    if (answer === 'wrong') session.wrong += 1;
    writeSession(session);
    if (session.wrong >= TRIES) app.logOut('Five wrong PINs: log in again.');
    else if (answer === 'ended') app.logOut('Log in again.');
    app.paint(true);
  }
  /** @param {string} key a digit, `Backspace` or `Enter` */
  function press(key) {
    if (/^[0-9]$/.test(key) && typed.length < 8) typed += key;
    else if (key === 'Backspace') typed = typed.slice(0, -1);
    else if (key === 'Enter') return tryPin();
    if (typed.length === app.session?.digits) tryPin();
    app.paint(true);
  }

  return {
    lock: () => become(true),
    press,
    /** When somebody touched the page last, milliseconds of this device. */
    touchedAt: () => finger,
    /** Locks the page if nobody touched it for long. */
    check() {
      const after = lockAfter();
      if (after > 0) lockItself(touched, after * 1000);
    },
    view() {
      const open = app.ui.open ?? 0;
      const wrong = app.session?.wrong ?? 0;
      return html`
        <main class="door locked">
          <p class="lock-event">${app.model.title || app.config.event}</p>
          <p class="lock-time">${timeOfDay(app.now())}</p>
          <p class="lock-open ${open ? 'some' : ''}" role="status">${open ? `${open} open` : nothing}</p>
          <p class="dots" aria-live="polite" aria-label="${typed.length} digits">${'●'.repeat(typed.length)}${'○'.repeat(Math.max(0, 4 - typed.length))}</p>
          ${wrong > 0 ? html`<p class="muted">Wrong PIN. ${TRIES - wrong} ${TRIES - wrong === 1 ? 'try' : 'tries'} left.</p>` : nothing}
          ${unanswered ? html`<p class="muted">The server does not answer.</p>` : nothing}
          <div class="keypad" role="group" aria-label="PIN">
            ${['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => html`<button @click=${() => press(digit)}>${digit}</button>`)}
            <button class="word" @click=${() => app.logOut('')}>Log out</button>
            <button @click=${() => press('0')}>0</button>
            <button class="word" aria-label="Delete the last digit" @click=${() => press('Backspace')}>⌫</button>
          </div>
        </main>`;
    },
  };
}
