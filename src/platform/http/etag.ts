import { hash } from 'node:crypto';

/** Returns a strong ETag of a text or of a file's bytes, including the quotes. */
export function etagOfText(text: string | Buffer): string {
  return etagOfDigest(hash('sha256', text, 'base64url'));
}

/** Like `etagOfText`, for the SHA-256 of a text in base64url. */
export function etagOfDigest(digest: string): string {
  return `"${digest.slice(0, 27)}"`;
}

/**
 * Returns a strong ETag of one version of a resource.
 * @param version Must differ between all versions of the resource, and from those of other
 *   resources at the same URL. Equal values with different versions have different ETags.
 */
export function etagOf(value: object, version: string): string {
  return etagOfText(`${version} ${JSON.stringify(value)}`);
}
