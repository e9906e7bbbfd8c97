// The login of the staff pages.
import { html, nothing } from '../../vendor/lit-html.js';
import { eventLine } from './rounds.js';

/** Why the broker lets nobody in. @param {import('./session.js').Session|null} session @param {boolean} [rate] after too many wrong passwords */
export function refusedWords(session, rate) {
  if (rate) return 'Too many wrong passwords: trying again in a few seconds.';
  return session?.password ? 'User or password is wrong.' : 'Log in again.';
}

/**
 * @param {import('./app.js').App} app
 * @param {(user: string, password: string, pin: string) => void} enter
 */
export function loginView(app, enter) {
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    const fields = new FormData(/** @type {HTMLFormElement} */ (event.target));
    enter(String(fields.get('user')).trim(), String(fields.get('password')), String(fields.get('pin')));
  };
  return html`
    <main class="door">
      <form class="card login" @submit=${submit}>
        <p class="brand">flagfall</p>
        <h1>${app.page === 'arbiter' ? 'Arbiters' : 'Operations'}</h1>
        <p class="muted">${eventLine(app, true)}</p>
        ${app.loginProblem ? html`<p class="problem" role="alert">${app.loginProblem}</p>` : nothing}
        <label>User <input name="user" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="64"></label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
        <label>PIN for the lock screen
          <input name="pin" type="password" inputmode="numeric" autocomplete="off" pattern="[0-9]{4,8}" minlength="4" maxlength="8" required
            title="4 to 8 digits, chosen by you for this tab">
          <small class="muted">4 to 8 digits, chosen now. They open this page again after it has locked itself.</small>
        </label>
        <button class="primary" ?disabled=${app.linkState === 'connecting'}>${app.linkState === 'connecting' ? 'Connecting…' : 'Log in'}</button>
      </form>
    </main>`;
}
