// A diagram as an element, so that a template can set its position: <staff-diagram .show=${{ fen, marks }}>.
import { boardView } from '../common/board-view.js';

/** @typedef {import('../common/board-view.js').Marks} Marks */
/** @typedef {{fen: string, marks?: Marks, orientation?: 'white'|'black', small?: boolean, coordinates?: boolean}} Shown */

class StaffDiagram extends HTMLElement {
  /** @type {ReturnType<typeof boardView>|null} */ #view = null;
  /** @type {Shown|null} */ #shown = null;
  /** @type {HTMLElement} */ #inside = document.createElement('div');
  #made = '';

  /** @param {Shown} shown */
  set show(shown) {
    this.#shown = shown;
    if (this.isConnected) this.#draw();
  }

  connectedCallback() {
    this.append(this.#inside);
    this.#draw();
  }

  disconnectedCallback() {
    this.#view?.destroy();
    this.#view = null;
    this.#made = '';
  }

  #draw() {
    const shown = this.#shown;
    if (!shown) return;
    const { fen, marks = {}, orientation = 'white', small = false, coordinates = !small } = shown;
    const make = `${small} ${coordinates}`;
    if (!this.#view || this.#made !== make) {
      this.#view?.destroy();
      this.#view = boardView(this.#inside, { orientation, small, coordinates });
      this.#made = make;
    }
    this.#view.orient(orientation);
    this.#view.show(fen, marks);
  }
}
customElements.define('staff-diagram', StaffDiagram);
