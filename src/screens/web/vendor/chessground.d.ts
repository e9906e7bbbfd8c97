// js/common/board-view.js is the only module that uses it.
export const Chessground: (element: HTMLElement, config: object) => any;
