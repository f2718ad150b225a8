/** Unicode's FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE. */
const [ISOLATE, END] = ['\u2068', '\u2069'];

/** A name within a sentence. Whichever way it is written, and whatever turns, the sentence does not. */
export function quoted(name: string): string {
  return `“${ISOLATE}${name}${END}”`;
}
