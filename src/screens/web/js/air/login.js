// The login of a page that only reads: where its name and token are kept, and the form. They are never in an address, a title or a log, and
// the password is never kept.
// Each audience has a login of its own: who may read what is live often may not read what is public, and a television that logs in by
// itself must not show what somebody typed elsewhere.
import { el } from './dom.js';

/** @typedef {'public'|'live'} Audience */

/** @param {Audience} audience */
const keyOf = audience => `flagfall.reader.${audience}`;

/** @typedef {{user: string, password?: string, token?: string}} Login without a password on a page that was loaded again */

/** Who logged in before, in this tab or on this device. @param {Audience} audience @returns {Login|null} */
export function keptLogin(audience) {
  for (const storage of storages()) {
    try {
      const { user, token } = JSON.parse(storage.getItem(keyOf(audience)) ?? '');
      if (typeof user === 'string' && typeof token === 'string') return { user, token };
      // Former versions kept the password.
      storage.removeItem(keyOf(audience));
    } catch {
      // Nothing is kept there.
    }
  }
  return null;
}

/** @param {Audience} audience @param {Login} login @param {boolean} onDevice also after the tab is closed */
export function keepLogin(audience, login, onDevice) {
  forgetLogin(audience);
  const [tab, device] = storages();
  try {
    (onDevice ? device : tab)?.setItem(keyOf(audience), JSON.stringify({ user: login.user, token: login.token }));
  } catch {
    // A full or forbidden storage: the login holds as long as the page.
  }
}

/** @param {Audience} audience */
export function forgetLogin(audience) {
  for (const storage of storages()) storage.removeItem(keyOf(audience));
}

/** In a frame of another site a browser may forbid both. */
function storages() {
  try {
    return [window.sessionStorage, window.localStorage];
  } catch {
    return [];
  }
}

/** Whether the page's own server has the way to the broker: only that one gives tokens, which can be kept. @param {any} config */
const hasRelay = config => String(config?.websocket ?? '/mqtt').startsWith('/');

/**
 * @param {{wrong: string, user: string, config: any, onLogin: (login: {user: string, password: string}, onDevice: boolean) => void}} options
 *   `wrong` says why an attempt failed
 * @returns {HTMLFormElement}
 */
export function loginForm({ wrong, user, config, onLogin }) {
  const field = (label, type, autocomplete) => {
    const input = el('input');
    Object.assign(input, { type, autocomplete, required: true, name: autocomplete, spellcheck: false, autocapitalize: 'none' });
    return { row: el('label', '', label, input), input };
  };
  const name = field('Name', 'text', 'username');
  const password = field('Password', 'password', 'current-password');
  const keep = el('input');
  keep.type = 'checkbox';
  const submit = el('button', 'primary', 'Log in');
  const form = el('form', 'login', el('h1', '', 'Log in to watch'));
  if (wrong) {
    const words = el('p', 'wrong', wrong);
    words.setAttribute('role', 'alert');
    form.append(words);
  }
  name.input.value = user;
  form.append(name.row, password.row, ...(hasRelay(config) ? [el('label', 'tick', keep, 'Keep on this device. It only reads.')] : []), submit);
  form.addEventListener('submit', event => {
    event.preventDefault();
    onLogin({ user: name.input.value.trim(), password: password.input.value }, keep.checked);
  });
  return /** @type {HTMLFormElement} */ (form);
}
