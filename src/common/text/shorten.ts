/**
 * Returns the text, shortened to `most` characters (code points) and followed by "…" if it is
 * longer.
 */
export function shorten(text: string, most: number): string {
  let at = 0;
  for (let length = 0; length < most && at < text.length; length++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at < text.length ? `${text.slice(0, at)}…` : text;
}
