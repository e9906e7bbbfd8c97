// The operations page: set-up, devices, nodes, moves to check.
import { html } from '../../vendor/lit-html.js';
import { startApp } from './app.js';
import { showCount } from './icon.js';
import { followNeeds, openNeeds } from './needs.js';
import { opsTopics, opsView } from './ops.js';
import { isMine } from './roles.js';
import { boardsNow } from './rounds.js';
import { shell } from './shell.js';
import { closeSheet, sheetView } from './sheet.js';

const TITLE = 'flagfall · operations';
document.title = TITLE;

const app = await startApp({
  page: 'operations',
  topics: opsTopics,
  view: (page) => html`${shell(page, opsView(page))}${sheetView(page)}`,
  onChange: (page, change) => {
    if (!change || change.kind === 'alert' || change.kind === 'ruling') {
      const mine = boardsNow(page).filter((board) => isMine(page.model, page.session?.user ?? '', board));
      followNeeds(page, openNeeds(mine, page.now()));
      showCount(TITLE, page.ui.open);
    }
    // Which states are read depends on alarms and on whether a game is played.
    if (change?.kind === 'alert' || change?.kind === 'live') page.ui.reads = true;
    if (!change && page.ui.reads) {
      page.ui.reads = false;
      page.resubscribe();
    }
  },
});

addEventListener('keydown', (event) => {
  if (app.session?.locked) app.lock.press(event.key);
  else if (event.key === 'Escape' && app.ui.sheet) closeSheet(app);
});
