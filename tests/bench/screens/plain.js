// The yardstick: a page that subscribes to what the hall reads, parses it, and shows nothing but the number of the last alarm.
addEventListener('DOMContentLoaded', async () => {
  if (location.pathname !== '/') return;
  const { connect } = await import('/js/common/link.js');
  const text = document.body.appendChild(document.createElement('p'));
  const boards = new Set();
  const link = connect({
    url: '/mqtt', root: 'flagfall/1', user: 'anna', password: 'secret of anna',
    onState(state) {
      if (state !== 'live') return;
      link.subscribe(['node/+/status', 'node/+/info', 'node/+/health', 'device/+/status',
        ...['arbiter/open26/5/+/alert/+', 'arbiter/open26/5/+/ruling', 'live/open26/5/+/state', 'live/open26/5/+/clock']]);
    },
    onMessage(topic, message) {
      const [branch, , , board, leaf, id] = topic.split('/');
      if (branch === 'live' && leaf === 'state' && !bench.all) {
        bench.first ||= performance.now();
        boards.add(board);
        if (boards.size >= BOARDS) bench.all = performance.now();
      }
      if (leaf !== 'alert' || !message) return;
      requestAnimationFrame(() => {
        text.textContent = id;
        afterPaint(now => { bench.painted[id] = now; });
      });
    },
  });
});
