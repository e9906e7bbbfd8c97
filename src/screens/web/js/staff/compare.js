// Two positions beside each other, with the squares outlined on which they differ.
import { html } from '../../vendor/lit-html.js';
import { differing } from './squares.js';
import './diagram.js';

/** @param {[string, string]} one a FEN and the words below it @param {[string, string]} other */
export function compare(one, other) {
  const outlined = differing(one[0], other[0]);
  const figure = (/** @type {[string, string]} */ [fen, words]) => html`
    <figure><staff-diagram .show=${{ fen, small: true, marks: { outlined } }}></staff-diagram><figcaption>${words}</figcaption></figure>`;
  return html`<div class="before-after">${figure(one)}${figure(other)}</div>`;
}
