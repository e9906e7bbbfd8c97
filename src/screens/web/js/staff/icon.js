// The number of open needs on the tab of the page: in its title and its icon. It names no board.

const link = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel=icon]'));
const plain = link.href;
let shown = 0;

/** @param {string} title @param {number} count */
export function showCount(title, count) {
  document.title = `${count ? `(${count}) ` : ''}${title}`;
  if (count === shown) return;
  shown = count;
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#b83a00"/>
    <text x="16" y="24" font-family="sans-serif" font-size="${count > 9 ? 20 : 24}" font-weight="700" text-anchor="middle" fill="#fff">${count > 99 ? '99+' : count}</text></svg>`;
  link.href = count ? `data:image/svg+xml,${encodeURIComponent(picture)}` : plain;
}
