// Runs before the scripts of each page, and notes when what is to be seen has been painted. `BOARDS` stands above it.
const bench = window.bench = { first: 0, all: 0, painted: {}, tasks: [] };
const afterPaint = then => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => then(performance.now());
  channel.port2.postMessage(null);
};

new PerformanceObserver(list => list.getEntries().forEach(entry => bench.tasks.push([entry.startTime, entry.duration])))
  .observe({ type: 'longtask', buffered: true });

// What is there when the first board of a page is shown, and how many of it there are when all are.
const [first, most] = {
  '/arbiter/': ['.tile-time:not(:empty)', 2 * BOARDS],
  '/operations/': ['.setup-row', BOARDS],
  '/wall/': ['.tile:not(.empty)', 4],
  '/board/': ['#stage:not([hidden]) piece', 2],
  '/overlay/': ['#stage:not([hidden]) .side .name:not(:empty)', 2],
}[location.pathname] ?? [];
const look = () => {
  const count = document.querySelectorAll(first).length;
  if (count > 0 && bench.first === 0) afterPaint(now => { bench.first ||= now; });
  if (count >= most) afterPaint(now => { bench.all ||= now; });
  else requestAnimationFrame(look);
};
if (first) requestAnimationFrame(look);

// Rows of alarms as they come: they are painted in the frame in which they come into the page.
const known = new Set();
new MutationObserver(() => {
  for (const row of document.querySelectorAll('[data-need]')) {
    const id = row.dataset.need.split('/').pop();
    if (known.has(id)) continue;
    known.add(id);
    afterPaint(now => { bench.painted[id] = now; });
  }
}).observe(document, { childList: true, subtree: true });
