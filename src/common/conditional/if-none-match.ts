import { encodedTag, type Encoding } from './encoding';

/**
 * What the client has already, as its `If-None-Match` says (RFC 9110, 13.1.2). What cannot be read
 * there names no version: it costs no more than the answer in full.
 */
export class IfNoneMatch {
  /** @param accepted The forms that the client takes, the best first. */
  constructor(
    private readonly header: string,
    private readonly accepted: readonly Encoding[],
  ) {}

  /**
   * @param etag The strong tag of the version that is there, as it is without compression.
   * @returns its tag in the form that the client has, where it has one that it takes now.
   */
  find(etag: string): string | undefined {
    if (this.header.trim() === '*') return etag;
    // A proxy that compresses makes a validator weak; for a read that is as good.
    const tags = this.header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return this.accepted
      .map((encoding) => encodedTag(etag, encoding))
      .find((tag) => tags.includes(tag));
  }
}
