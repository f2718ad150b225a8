/**
 * Returns the length of a text in characters, as limits count them: Unicode code points, not UTF-16
 * code units.
 */
export function codePointLength(text: string): number {
  let length = 0;
  // Does not build an array of code points, which would take hundreds of MB for a text of 10 MB.
  for (let at = 0; at < text.length; length++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return length;
}
