// Names that nobody guesses.

/**
 * The name of a page's connection at the broker, or of its replies. They are two: machines of the hall read the topic of the replies, and at
 * some brokers whoever knows the name of a connection can take it over. A broker may show the name, so it says nothing about its user.
 */
export function randomName() {
  const random = crypto.getRandomValues(new Uint8Array(8));
  return `screen-${[...random].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
