// Which event and rounds the nodes serve.

/**
 * The rounds that nodes serve, as `<event>/<round>`; before a node said so, the one of the configuration.
 * @param {import('./app.js').App} app
 */
export function roundsOf(app) {
  const boards = [...app.model.nodes.values()].flatMap((node) => node.info?.message.body.boards ?? []);
  const found = new Set(boards.map((board) => board.split('/').slice(0, 2).join('/')));
  if (!found.size && app.config.event && app.config.round) found.add(`${app.config.event}/${app.config.round}`);
  return [...found];
}

/**
 * The boards of these rounds. What the broker retains of another round, which nobody serves any more, is no board of today.
 * @param {import('./app.js').App} app
 */
export function boardsNow(app) {
  const rounds = new Set(roundsOf(app));
  return [...app.model.boards.values()].filter((board) => !rounds.size || rounds.has(`${board.event}/${board.round}`));
}

/**
 * The event, and the round where there is one.
 * @param {import('./app.js').App} app
 * @param {boolean} [long] with the event's name, not only its id
 */
export function eventLine(app, long = false) {
  const rounds = roundsOf(app);
  const round = rounds.length === 1 ? rounds[0].split('/')[1] : '';
  return [(long && app.model.title) || app.config.event, round && `round ${round}`].filter(Boolean).join(' · ');
}
