/** Unicode's FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE. */
const [ISOLATE, END] = ['\u2068', '\u2069'];

/** Quotes a name in a sentence. Text direction in the name does not affect the sentence. */
export function quoted(name: string): string {
  return `“${ISOLATE}${name}${END}”`;
}

/** A text around elements such as links, which `Parts` shows. A translation can order them. */
export type TextParts<Element> = readonly (string | Element)[];
