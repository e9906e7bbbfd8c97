// The first page: which event and round, and where to go.
import { part, setText } from './dom.js';
import { readQuery } from './query.js';

document.documentElement.dataset.theme = readQuery(window.location.search).theme;
const event = part('event');
const version = part('version');

try {
  const answer = await fetch(new URL('../../config.json', import.meta.url), { cache: 'no-store' });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  const config = await answer.json();
  setText(event, [config.event, config.round ? `round ${config.round}` : ''].filter(Boolean).join(' · '));
  setText(version, config.version ? `flagfall ${config.version}` : '');
} catch {
  setText(event, 'The server does not say which event this is.');
}
