// The address of a page says what it shows, never a secret. Touches no DOM.

const LAYOUTS = ['board', 'clocks', 'strip', 'moves'];
const ID = /^[a-z0-9-]{1,40}$/;
const COLOUR = /^([0-9a-f]{3}){1,2}$/i;
/** Boards that an address can list. */
const MOST_LISTED = 200;

/**
 * @param {string} search such as `?board=17&audience=live&theme=light`
 * @returns {{audience: 'public'|'live', event: string, round: string, board: string, boards: string[], side: 'white'|'black',
 *   layout: string, theme: 'dark'|'light', perPage: number, colours: {ground: string, text: string, accent: string}}} '', [] and 0 for
 *   what the address does not say
 */
export function readQuery(search) {
  const params = new URLSearchParams(search);
  const text = name => params.get(name) ?? '';
  const id = name => (ID.test(text(name)) ? text(name) : '');
  const perPage = Number(params.get('page'));
  const colour = name => (COLOUR.test(text(name)) ? `#${text(name)}` : '');
  return {
    audience: params.get('audience') === 'live' ? 'live' : 'public',
    event: id('event'),
    round: id('round'),
    board: id('board'),
    boards: boardList(text('boards')),
    side: params.get('side') === 'black' ? 'black' : 'white',
    layout: LAYOUTS.includes(text('layout')) ? text('layout') : 'board',
    theme: params.get('theme') === 'light' ? 'light' : 'dark',
    perPage: Number.isInteger(perPage) && perPage > 0 ? Math.min(40, perPage) : 0,
    colours: { ground: colour('ground'), text: colour('text'), accent: colour('accent') },
  };
}

/** `1-3,7,final` to `['1', '2', '3', '7', 'final']`; what is no board is left out. */
export function boardList(text) {
  const boards = new Set();
  for (const part of text.split(',').map(part => part.trim())) {
    const range = /^(\d{1,5})-(\d{1,5})$/.exec(part);
    if (range) {
      for (let board = Number(range[1]); board <= Number(range[2]) && boards.size < MOST_LISTED; board += 1) boards.add(String(board));
    } else if (ID.test(part) && boards.size < MOST_LISTED) {
      boards.add(part);
    }
  }
  return [...boards];
}

/** Orders boards as people number them: 2 before 10. */
export function byNumber(a, b) {
  return a.localeCompare(b, 'en', { numeric: true });
}
