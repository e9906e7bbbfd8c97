// The wall: a grid of diagrams for a hall or a website, in pages that turn by themselves.
import { boardView } from '../common/board-view.js';
import { moveText, resultText, timeOfDay } from '../common/format.js';
import { button, connectionSign, el, part, setClass, setShown, setText } from './dom.js';
import { pageFrame } from './frame.js';
import { finishedResult, liveness } from './live.js';
import { byNumber } from './query.js';
import { startSession } from './session.js';
import { sideRow } from './sides.js';

/** How long a page stays, milliseconds. */
const PAGE_MS = 20000;
/** How long a finished board stays bright, milliseconds. */
const FINISHED_MS = 120000;
/** Below this width the page scrolls and shows all boards, pixels. */
const SCROLLS_BELOW = 700;
/** Boards of one page if the address does not say it. */
const [FEWEST_ON_PAGE, MOST_ON_PAGE] = [4, 16];
/**
 * The diagram with names that people read at 3 m, in a window of 1920 x 1080 (20 pixels) and as much more or less in others: a television
 * has its size whatever it shows. Below the smaller one nobody can read them.
 */
const [LEGIBLE_PX, SMALLEST_PX] = [215, 130];
/** The spaces between tiles and the height of the header, pixels, and the rows of a tile in widths of its diagram; as in broadcast.css. */
const [COLUMN_GAP_PX, ROW_GAP_PX] = [24, 12];
const HEADER_PX = 48;
const ROWS_OF_TILE = 0.497;
/** How much wider than its diagram a tile should be, so that there is room for a name beside a time. */
const WIDTH_OF_TILE = 1.3;
/** More columns, and so less room for names, are worth it if the diagrams are so many times as large. */
const MUCH = 1.05;

const stage = part('stage');
const header = part('header');
const title = el('h1', 'event');
const round = el('span', 'muted');
const pages = el('span', 'muted time');
const state = connectionSign();
const clock = el('span', 'time muted');
const logOut = button('', 'Log out', () => session.logOut());
header.append(title, round, el('span', 'gap'), pages, state.element, logOut, clock);

const frame = pageFrame(stage);
/** @type {Map<string, ReturnType<typeof tileOf>>} */
const tiles = new Map();
let page = 0;
let turnedAt = Date.now();
let laidOut = '';

const session = startSession((current, now) => {
  const { store, query, link, config } = current;
  const boards = shownBoards(store, query);
  const listed = query.boards.length > 0 && current.settled ? query.boards : boards.map(board => board.id);
  const shown = frame.update(current, boards.length === 0);
  setText(title, store.meta?.name || config?.event || 'flagfall');
  setText(round, store.round ? `Round ${store.round}${delayWords(store, query)}` : '');
  state.update(link.state, 'connected');
  setShown(logOut, current.typed && link.state !== 'refused');
  setText(clock, timeOfDay(now));
  document.title = `${title.textContent} · wall`;
  if (!shown) return;
  const onPage = pageOf(listed, query.perPage, now);
  layOut(onPage);
  for (const id of onPage) tileOn(id, current).update(store.boards().get(id), current, now);
});

function shownBoards(store, query) {
  const all = [...store.boards().values()].filter(board => !board.body.withdrawn || finishedResult(board));
  const boards = query.boards.length > 0 ? all.filter(board => query.boards.includes(board.id)) : all;
  return boards.sort((a, b) => byNumber(a.id, b.id));
}

function delayWords(store, query) {
  if (query.audience === 'live') return ' · undelayed';
  const minutes = Math.round((store.meta?.delay ?? 0) / 60);
  return minutes > 0 ? ` · delayed by ${minutes} min` : '';
}

/** The boards of the page that is due; pages are filled evenly. */
function pageOf(listed, perPage, now) {
  if (window.innerWidth < SCROLLS_BELOW) {
    setShown(pages, false);
    return listed;
  }
  const count = Math.max(1, Math.ceil(listed.length / (perPage || mostLegible())));
  if (now - turnedAt >= PAGE_MS) {
    page += 1;
    turnedAt = now;
  }
  page %= count;
  setShown(pages, count > 1);
  setText(pages, `page ${page + 1} of ${count}`);
  const size = Math.ceil(listed.length / count);
  return listed.slice(page * size, (page + 1) * size);
}

/** How many boards the window can show so that people can read them. */
function mostLegible() {
  const { innerWidth: wide, innerHeight: high } = window;
  const legible = Math.max(SMALLEST_PX, LEGIBLE_PX * Math.min(wide / 1920, high / 1080));
  let count = MOST_ON_PAGE;
  while (count > FEWEST_ON_PAGE && bestGrid(count, wide, high - HEADER_PX).size < legible) count -= 1;
  return count;
}

/** The number of columns that makes the diagrams as large as this space allows, or nearly so with more room for names. */
function bestGrid(count, wide = stage.clientWidth, high = stage.clientHeight) {
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const width = (wide - COLUMN_GAP_PX * (columns + 1)) / columns;
    const height = (high - ROW_GAP_PX * (rows + 1)) / rows;
    const size = Math.min(width / WIDTH_OF_TILE, height / (1 + ROWS_OF_TILE));
    if (size > best.size * MUCH) best = { columns, size };
  }
  return best;
}

function layOut(onPage) {
  const key = `${onPage.join()} ${stage.clientWidth} ${stage.clientHeight}`;
  if (key === laidOut) return;
  laidOut = key;
  const wanted = new Set(onPage);
  for (const [id, tile] of tiles) {
    if (wanted.has(id)) continue;
    tile.view.destroy();
    tile.element.remove();
    tiles.delete(id);
  }
  const { columns, size } = bestGrid(onPage.length);
  stage.style.setProperty('--columns', String(columns));
  stage.style.setProperty('--size', `${Math.floor(size)}px`);
}

function tileOn(id, session) {
  const held = tiles.get(id);
  if (held) return held;
  const tile = tileOf(id, session);
  tiles.set(id, tile);
  const after = [...tiles.keys()].filter(other => byNumber(other, id) > 0).sort(byNumber)[0];
  stage.insertBefore(tile.element, tiles.get(after ?? '')?.element ?? null);
  return tile;
}

function tileOf(id, session) {
  const rows = { black: sideRow('black'), white: sideRow('white') };
  const diagram = el('div');
  const view = boardView(diagram, { small: true, orientation: session.query.side });
  const words = el('p', 'words hatched');
  const last = el('span', 'last');
  const number = el('a', 'number', id);
  number.setAttribute('aria-label', `Board ${id}`);
  number.href = `../board/${linkQuery(session, id)}`;
  const foot = el('div', 'foot', number, last);
  const order = session.query.side === 'white' ? ['black', 'white'] : ['white', 'black'];
  const element = el('article', 'tile', rows[order[0]].row, el('div', 'picture', diagram, words), rows[order[1]].row, foot);
  return {
    element,
    view,
    update(board, { store, link }, now) {
      setClass(element, 'empty', !board);
      if (!board) {
        view.show('8/8/8/8/8/8/8/8');
        setText(words, 'nothing published yet');
        setShown(words, true);
        return;
      }
      const result = finishedResult(board);
      const told = result && link.state === 'live' ? { live: true, words: '' } : liveness(board, store, link, now);
      const { moves, initial_fen: start, fen, moves_from: first } = board.body;
      view.show(fen, { lastMove: moves.at(-1)?.uci });
      rows.white.update(board, store, told, now);
      rows.black.update(board, store, told, now);
      setText(last, result ? resultText(result) : moveText(moves.at(-1), start, first ?? 1));
      setText(words, told.words);
      setShown(words, told.words !== '');
      setClass(element, 'not-live', !told.live);
      setClass(element, 'finished', result !== '');
      setClass(element, 'dim', result !== '' && now - board.toldAt > FINISHED_MS);
    },
  };
}

function linkQuery(session, id) {
  const query = new URLSearchParams(window.location.search);
  query.set('board', id);
  query.delete('page');
  return `?${query}`;
}
