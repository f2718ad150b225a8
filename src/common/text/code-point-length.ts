/** Characters of a text as limits count them: Unicode code points, not UTF-16 units. */
export function codePointLength(text: string): number {
  let length = 0;
  // No array of the code points: for a text of 10 MB it would cost hundreds.
  for (let at = 0; at < text.length; length++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return length;
}
