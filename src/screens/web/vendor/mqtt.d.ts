// js/common/link.js is the only module that uses it.
export const connect: (url: string, options: object) => any;
