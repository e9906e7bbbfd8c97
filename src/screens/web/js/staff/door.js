// The page behind a login or lock screen: out of the document as long as the door is shut, and then as it was, with its sheet, fields and
// scroll positions.
import { nothing, render } from '../../vendor/lit-html.js';

/** @param {HTMLElement} page */
export function newDoor(page) {
  const door = document.createElement('div');
  door.className = page.className;
  let putBack = () => {};

  return {
    /** Takes the page away and shows this. @param {unknown} content */
    shut(content) {
      if (page.isConnected) {
        const focus = /** @type {HTMLElement|null} */ (page.contains(document.activeElement) ? document.activeElement : null);
        const [left, top] = [scrollX, scrollY];
        const scrolled = [...page.querySelectorAll('*')].filter((one) => one.scrollTop || one.scrollLeft)
          .map((one) => ({ one, to: { left: one.scrollLeft, top: one.scrollTop, behavior: /** @type {const} */ ('instant') } }));
        putBack = () => {
          for (const { one, to } of scrolled) one.scrollTo(to);
          focus?.focus({ preventScroll: true });
          scrollTo({ left, top, behavior: 'instant' });
        };
        // Out of the document a dialog loses its place above the page.
        for (const dialog of page.querySelectorAll('dialog')) dialog.close();
        page.replaceWith(door);
      }
      render(content, door);
    },
    /** Shows the page with this. @param {unknown} content */
    open(content) {
      render(content, page);
      if (page.isConnected) return;
      door.replaceWith(page);
      render(nothing, door);
      for (const dialog of page.querySelectorAll('dialog')) dialog.showModal();
      putBack();
    },
    /** Forgets the page of a user who has left. */
    empty() {
      render(nothing, page);
      putBack = () => {};
    },
  };
}
