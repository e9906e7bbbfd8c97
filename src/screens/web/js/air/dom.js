// Small helpers that make elements and change them only where they differ.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {...(Node|string)} children text goes in as text nodes
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, className = '', ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** The element of the page with this id. @param {string} id @returns {HTMLElement} */
export function part(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no element ${id}.`);
  return element;
}

/** An element for a text of others, such as a name: its direction is its own. @param {string} className */
export function ownDirection(className) {
  const element = el('bdi', className);
  element.dir = 'auto';
  return element;
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Element} element @param {string} name @param {boolean} on */
export function setClass(element, name, on) {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}

/** @param {HTMLElement} element @param {boolean} on */
export function setShown(element, on) {
  if (element.hidden === on) element.hidden = !on;
}

/** @param {string} className @param {string} label @param {() => void} onClick */
export function button(className, label, onClick) {
  const element = el('button', className, label);
  element.type = 'button';
  element.addEventListener('click', onClick);
  return element;
}

/** Whether the page is connected: a sign, and words where there is room. */
export function connectionSign() {
  const sign = el('span');
  sign.setAttribute('aria-hidden', 'true');
  const words = el('span', 'say');
  const element = el('span', 'state', sign, ' ', words);
  return {
    element,
    /** @param {string} state of the connection @param {string} whenLive words */
    update(state, whenLive) {
      const isLive = state === 'live';
      setClass(element, 'live', isLive);
      setText(sign, isLive ? '●' : '○');
      setText(words, isLive ? whenLive : 'no connection');
    },
  };
}
