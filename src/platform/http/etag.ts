import { createHash } from 'node:crypto';

/** A strong validator of a text, quotes included. */
export function etagOfText(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/** A strong validator of what JSON prints of a value. */
export function etagOf(value: object): string {
  return etagOfText(JSON.stringify(value));
}
