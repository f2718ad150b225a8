import { AppError, invalidRequest } from '../error/app-error';
import { ENCODINGS, encodedTag } from './encoding';

const TAG = '(W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const LIST = new RegExp(`^[ \\t,]*${TAG}([ \\t]*,[ \\t,]*${TAG})*[ \\t,]*$`);
const EACH_TAG = new RegExp(TAG, 'g');

/** What `If-Match` asks of the version that a request is about to change (RFC 9110, 13.1.1). */
export class IfMatch {
  /** Any version will do; also `*`, since what is missing is 404 anyway. */
  static readonly ANY = new IfMatch(null);

  private constructor(private readonly tags: ReadonlySet<string> | null) {}

  /** @throws AppError `invalid_request` where the header is neither `*` nor a list of tags. */
  static parse(header: string | undefined): IfMatch {
    if (header === undefined || header.trim() === '*') return IfMatch.ANY;
    if (LIST.test(header)) return new IfMatch(new Set(header.match(EACH_TAG)));
    const message = 'must be * or a comma-separated list of quoted ETags';
    throw invalidRequest([{ field: 'If-Match', code: 'invalid_format', message }]);
  }

  /** Whether the version matters at all. */
  get isAny(): boolean {
    return this.tags === null;
  }

  /**
   * @param etag The strong tag of the version that is there, as it is without compression; who read
   * it compressed names the same version. Weak tags are never equal to it.
   * @throws AppError `precondition_failed`
   */
  require(etag: string): void {
    const { tags } = this;
    if (tags === null || ENCODINGS.some((encoding) => tags.has(encodedTag(etag, encoding)))) return;
    const message = 'The resource has changed. Its ETag does not match If-Match.';
    throw new AppError('precondition_failed', message);
  }
}
