// The name and password of a page that only reads: where they are kept, and the form. They are never in an address, a title or a log.
import { el } from './dom.js';

const KEY = 'flagfall.reader';

/** What was typed before, in this tab or kept on this device. @returns {{user: string, password: string}|null} */
export function keptLogin() {
  for (const storage of storages()) {
    try {
      const { user, password } = JSON.parse(storage.getItem(KEY) ?? '');
      if (typeof user === 'string' && typeof password === 'string') return { user, password };
    } catch {
      // Nothing is kept there.
    }
  }
  return null;
}

/** @param {{user: string, password: string}} login @param {boolean} onDevice also after the tab is closed */
export function keepLogin(login, onDevice) {
  forgetLogin();
  const [tab, device] = storages();
  try {
    (onDevice ? device : tab)?.setItem(KEY, JSON.stringify(login));
  } catch {
    // A full or forbidden storage: the login holds as long as the page.
  }
}

export function forgetLogin() {
  for (const storage of storages()) storage.removeItem(KEY);
}

/** In a frame of another site a browser may forbid both. */
function storages() {
  try {
    return [window.sessionStorage, window.localStorage];
  } catch {
    return [];
  }
}

/**
 * @param {{wrong: string, user: string, onLogin: (login: {user: string, password: string}, onDevice: boolean) => void}} options `wrong`
 *   says why an attempt failed
 * @returns {HTMLFormElement}
 */
export function loginForm({ wrong, user, onLogin }) {
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
  form.append(name.row, password.row, el('label', 'tick', keep, 'Keep on this device. It only reads.'), submit);
  form.addEventListener('submit', event => {
    event.preventDefault();
    onLogin({ user: name.input.value.trim(), password: password.input.value }, keep.checked);
  });
  return /** @type {HTMLFormElement} */ (form);
}
