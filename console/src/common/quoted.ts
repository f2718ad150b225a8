/** Unicode's FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE. */
const [ISOLATE, END] = ['\u2068', '\u2069'];

/** Quotes a name in a sentence. Text direction in the name does not affect the sentence. */
export function quoted(name: string): string {
  return `“${ISOLATE}${name}${END}”`;
}
