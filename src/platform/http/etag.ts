import { createHash } from 'node:crypto';

/** A strong validator of a text, or of a file's bytes, quotes included. */
export function etagOfText(text: string | Buffer): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

/**
 * A strong validator of one version of something.
 * @param version Differs between all versions of it, and between it and others of its name: the
 *   same value at another version has another tag.
 */
export function etagOf(value: object, version: string): string {
  return etagOfText(`${version} ${JSON.stringify(value)}`);
}
