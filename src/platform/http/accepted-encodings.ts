import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { ENCODINGS, type Encoding } from '../../common/conditional/encoding';
import { IfNoneMatch } from '../../common/conditional/if-none-match';
import { CODINGS_HERE } from './compress';

/**
 * Longest header that is parsed. Browsers send about 25 characters; parsing 16,000 would take as
 * long as a hundred requests.
 */
const MAX_CHARACTERS = 256;

const AVAILABLE: readonly Encoding[] = [...CODINGS_HERE, 'identity'];
const ONLY_PLAIN: readonly Encoding[] = ['identity'];

/** Recently parsed headers. Clients use few distinct values and send one with each request. */
const recent = new LRUCache<string, readonly Encoding[]>({ max: 100 });

/**
 * Returns the encodings that the client accepts, best first (RFC 9110, 12.5.3). Without the header,
 * every encoding is accepted and `identity` is best. If the client accepts none of the available
 * encodings, the result is `identity` only.
 */
export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  if (header === undefined) return ENCODINGS;
  if (header.length > MAX_CHARACTERS) return ONLY_PLAIN;
  const known = recent.get(header);
  if (known) return known;
  const accepted = readEncodings(header);
  recent.set(header, accepted);
  return accepted;
}

function readEncodings(header: string): readonly Encoding[] {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } });
  const accepted = negotiator.encodings(AVAILABLE, { preferred: CODINGS_HERE });
  return accepted.length > 0 ? accepted : ONLY_PLAIN;
}

/**
 * Parses `If-None-Match`.
 * @returns `undefined` if the header is missing.
 */
export function ifNoneMatchOf(headers: IncomingHttpHeaders): IfNoneMatch | undefined {
  const header = headers['if-none-match'];
  if (header === undefined) return undefined;
  return new IfNoneMatch(header, acceptedEncodings(headers['accept-encoding']));
}
