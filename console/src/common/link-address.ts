/** Schemes of links. Others could run programs. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** Returns the address that a value leads to; undefined if it is no address that is safe to open. */
export function linkAddress(type: string, text: string): string | undefined {
  const address = type === 'email' ? `mailto:${text}` : text;
  return URL.canParse(address) && SCHEMES.has(new URL(address).protocol) ? address : undefined;
}
