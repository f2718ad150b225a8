import { AppError, invalidRequest } from '../error/app-error';

const TAG = '(W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const LIST = new RegExp(`^[ \\t,]*${TAG}([ \\t]*,[ \\t,]*${TAG})*[ \\t,]*$`);
/** Pattern of usual headers, for the OpenAPI document. The parser also accepts other white space and characters. */
export const IF_MATCH_PATTERN = '^(\\*|(W/)?"[!#-~]*"(, *(W/)?"[!#-~]*")*)$';
const EACH_TAG = new RegExp(TAG, 'g');
/** What `extendedEtag` adds. The encoding of a response follows it. */
const EXTENSION = /~[\w~-]+(?=(?:\.\w+)?"$)/;

/** ETags that a header lists; `*` for those of every version, and `null` without the header. */
type Tags = ReadonlySet<string> | '*' | null;

/**
 * Preconditions on the version that a request is about to change, from `If-Match` and
 * `If-None-Match` (RFC 9110, 13.1.1 and 13.1.2).
 */
export class IfMatch {
  /** Without the headers, there is no condition. */
  static readonly ANY = new IfMatch(null, null);

  private constructor(
    private readonly tags: Tags,
    private readonly excluded: Tags,
  ) {}

  /**
   * Parses the headers.
   * @throws AppError `invalid_request` if one is neither `*` nor a list of ETags.
   */
  static parse(ifMatch: string | undefined, ifNoneMatch?: string): IfMatch {
    if (ifMatch === undefined && ifNoneMatch === undefined) return IfMatch.ANY;
    // `If-None-Match` compares weakly, which excludes more versions.
    const excluded = parseTags('If-None-Match', ifNoneMatch, /^W\//);
    return new IfMatch(parseTags('If-Match', ifMatch), excluded);
  }

  /** Whether every version of a resource matches. */
  get isAny(): boolean {
    return (this.tags === null || this.tags === '*') && this.excluded === null;
  }

  /**
   * Checks the current version.
   * @param etag Strong ETag of the current version, without compression. ETags of its compressed
   *   forms match too. Weak ETags never match.
   * @throws AppError `precondition_failed` if it does not match.
   */
  require(etag: string): void {
    const own = ENCODINGS.map((encoding) => encodedTag(etag, encoding));
    this.check((tag) => own.includes(tag));
  }

  /**
   * Checks a resource that does not exist, which no condition matches.
   * @throws AppError `precondition_failed` with `If-Match`.
   */
  requireMissing(): void {
    if (this.tags !== null) throw preconditionFailed(CHANGED);
  }

  /**
   * Checks the current version of a resource whose ETags are `"<version>-<rest>"`, because they also
   * depend on values that no request changes.
   * @throws AppError `precondition_failed` if it does not match.
   */
  requireVersion(version: number): void {
    const start = `"${String(version)}-`;
    this.check((tag) => tag.startsWith(start));
  }

  private check(isCurrent: (tag: string) => boolean): void {
    const has = (tags: Tags): boolean => tags === '*' || [...(tags ?? [])].some(isCurrent);
    if (this.tags !== null && !has(this.tags)) throw preconditionFailed(CHANGED);
    if (has(this.excluded)) throw preconditionFailed(UNCHANGED);
  }
}

/** @param ignored Part of each tag that is left out. */
function parseTags(field: string, header: string | undefined, ignored: RegExp | '' = ''): Tags {
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  if (LIST.test(header)) {
    const tags = header.match(EACH_TAG) ?? [];
    return new Set(tags.map((tag) => tag.replace(ignored, '').replace(EXTENSION, '')));
  }
  const message = 'must be * or a comma-separated list of quoted ETags';
  throw invalidRequest([{ field, code: 'invalid_format', message }]);
}

const CHANGED = 'The resource has changed. Its ETag does not match If-Match.';
const UNCHANGED = 'The resource exists, and its ETag matches If-None-Match.';

function preconditionFailed(message: string): AppError {
  return new AppError('precondition_failed', message);
}

/**
 * Returns the ETag of a version of a resource together with data of others. `If-Match` ignores the
 * addition, because a write changes only the resource. No other ETag contains a tilde.
 * @param digest Letters, digits, `_` and `-`.
 */
export function extendedEtag(etag: string, digest: string): string {
  return `${etag.slice(0, -1)}~${digest}"`;
}

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

/**
 * Content codings of compressed responses, in order of preference if the client accepts several
 * equally. Brotli saves little more than gzip and takes more time.
 */
export const CODINGS = ['zstd', 'gzip', 'br'] as const;

export type Coding = (typeof CODINGS)[number];

/** Encodings of a response: uncompressed or compressed. */
export type Encoding = 'identity' | Coding;

export const ENCODINGS: readonly Encoding[] = ['identity', ...CODINGS];

/**
 * Returns the strong ETag of a version in one encoding. Each encoding has its own ETag (RFC 9110,
 * 8.8.3.3): `"4-1"` is `"4-1.br"` in Brotli. ETags of versions never contain a period.
 */
export function encodedTag(etag: string, encoding: Encoding): string {
  return encoding === 'identity' ? etag : `${etag.slice(0, -1)}.${encoding}"`;
}
