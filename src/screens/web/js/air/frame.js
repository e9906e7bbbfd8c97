// The parts of wall and board around what they show: a line over the page when the connection is gone, one calm text while there is
// nothing to show, and the form for a login.
import { timeOfDay } from '../common/format.js';
import { el, setShown, setText } from './dom.js';
import { loginForm } from './login.js';

/**
 * The text for a page that has nothing to show, '' if it has.
 * @param {import('./session.js').Session} session
 * @param {boolean} empty there is no board to show
 * @returns {{title: string, words: string}|null}
 */
export function noticeOf(session, empty) {
  const { link, store, unreadable, user, query } = session;
  const own = unreadable.find(topic => topic.startsWith(query.audience) && !topic.endsWith('/moves/+'));
  if (own) {
    const who = user ? `The user ${user}` : 'Somebody who is not logged in';
    return { title: 'Not allowed', words: `${who} may not read ${query.audience}/. Ask whoever keeps the broker's rules.` };
  }
  if (!empty) return null;
  if (link.state === 'unreachable') return { title: 'The server does not answer', words: 'Trying again every few seconds.' };
  if (link.state === 'refused' && link.rate) {
    return { title: 'Too many wrong passwords', words: 'The broker compares one a second now. This page tries again by itself.' };
  }
  if (link.state === 'offline') return { title: 'No connection', words: `Since ${timeOfDay(link.since)}. Trying again by itself.` };
  if (link.state !== 'live' || !session.settled) return { title: 'Connecting …', words: '' };
  // A broker can grant a subscription and filter in silence, so nobody can tell the two apart.
  const or = query.audience === 'live' ? ' Or this login may not read it.' : '';
  if (query.board) return { title: `Board ${query.board}`, words: `Nothing has been published of this board yet.${or}` };
  const round = store.round ? `Round ${store.round}: nothing` : 'Nothing';
  return { title: 'No boards yet', words: `${round} has been published yet. The boards appear here by themselves.${or}` };
}

/**
 * @param {HTMLElement} stage where the page draws; hidden while there is a notice or a form
 * @returns {{update(session: import('./session.js').Session, empty: boolean): boolean}} `update` says whether the stage is shown
 */
export function pageFrame(stage) {
  const title = el('h1');
  const words = el('p', 'muted');
  const logIn = el('button', '', 'Log in');
  const notice = el('section', 'notice', title, words, logIn);
  const banner = el('p', 'banner hatched');
  banner.setAttribute('role', 'status');
  notice.setAttribute('role', 'status');
  banner.hidden = true;
  stage.before(banner, notice);
  /** @type {HTMLFormElement|null} */
  let form = null;
  let asked = false;
  logIn.type = 'button';
  logIn.addEventListener('click', () => (asked = true));

  function showForm(session, wrong) {
    if (form) return;
    form = loginForm({ wrong, user: session.typed ? session.user : '', config: session.config, onLogin(login, onDevice) {
      hideForm();
      session.logIn(login, onDevice);
    } });
    stage.before(form);
    form.querySelector('input')?.focus();
  }

  function hideForm() {
    form?.remove();
    form = null;
    asked = false;
  }

  return {
    update(session, empty) {
      const refused = session.link.state === 'refused' && !session.link.rate;
      const first = !session.typed && !session.user;
      if (session.link.state === 'live' && !asked) hideForm();
      if (refused || asked) showForm(session, refused && !first ? 'The broker does not accept this name and password.' : '');
      const text = form ? null : noticeOf(session, empty);
      setShown(notice, Boolean(text));
      setText(title, text?.title ?? '');
      setText(words, text?.words ?? '');
      const may = session.link.state === 'live' && session.settled && !(session.config?.public_user && session.query.audience === 'public');
      setShown(logIn, Boolean(text) && may);
      const shown = !form && !text;
      setShown(stage, shown);
      const { state, since, rate } = session.link;
      setShown(banner, shown && state !== 'live');
      const why = rate ? 'Too many wrong passwords' : 'No connection';
      setText(banner, `${why} since ${timeOfDay(since)}. All is shown as it was then.`);
      return shown;
    },
  };
}
