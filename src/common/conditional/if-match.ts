import { AppError, invalidRequest } from '../error/app-error';
import { ENCODINGS, encodedTag } from './encoding';

const TAG = '(W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const LIST = new RegExp(`^[ \\t,]*${TAG}([ \\t]*,[ \\t,]*${TAG})*[ \\t,]*$`);
const EACH_TAG = new RegExp(TAG, 'g');

/**
 * Precondition on the version that a request is about to change, from `If-Match` (RFC 9110,
 * 13.1.1).
 */
export class IfMatch {
  /** Matches every version. Also used for `*`, because a missing resource returns 404 anyway. */
  static readonly ANY = new IfMatch(null);

  private constructor(private readonly tags: ReadonlySet<string> | null) {}

  /**
   * Parses the header.
   * @throws AppError `invalid_request` if it is neither `*` nor a list of ETags.
   */
  static parse(header: string | undefined): IfMatch {
    if (header === undefined || header.trim() === '*') return IfMatch.ANY;
    if (LIST.test(header)) return new IfMatch(new Set(header.match(EACH_TAG)));
    const message = 'must be * or a comma-separated list of quoted ETags';
    throw invalidRequest([{ field: 'If-Match', code: 'invalid_format', message }]);
  }

  /** Whether every version matches. */
  get isAny(): boolean {
    return this.tags === null;
  }

  /**
   * Checks the current version.
   * @param etag Strong ETag of the current version, without compression. ETags of its compressed
   *   forms match too. Weak ETags never match.
   * @throws AppError `precondition_failed` if it does not match.
   */
  require(etag: string): void {
    const { tags } = this;
    if (tags === null || ENCODINGS.some((encoding) => tags.has(encodedTag(etag, encoding)))) return;
    const message = 'The resource has changed. Its ETag does not match If-Match.';
    throw new AppError('precondition_failed', message);
  }
}
