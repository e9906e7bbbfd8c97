// The name of a page's connection at the broker.

/** The broker inside the program shows client ids to every subscriber, so it says nothing about its user. */
export function newClientId() {
  const random = crypto.getRandomValues(new Uint8Array(4));
  return `screen-${[...random].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
