import { encodedTag, type Encoding } from './encoding';

/**
 * Versions that the client already has, from `If-None-Match` (RFC 9110, 13.1.2). Malformed ETags
 * match no version, so that the client gets the full response.
 */
export class IfNoneMatch {
  /** @param accepted Encodings that the client accepts, best first. */
  constructor(
    private readonly header: string,
    private readonly accepted: readonly Encoding[],
  ) {}

  /**
   * Finds the version that the client has.
   * @param etag Strong ETag of the current version, without compression.
   * @returns its ETag in the encoding that the client has and accepts; `undefined` if there is
   *   none.
   */
  find(etag: string): string | undefined {
    if (this.header.trim() === '*') return etag;
    // A proxy that compresses responses makes ETags weak. A weak match is sufficient for reads.
    const tags = this.header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return this.accepted
      .map((encoding) => encodedTag(etag, encoding))
      .find((tag) => tags.includes(tag));
  }
}
