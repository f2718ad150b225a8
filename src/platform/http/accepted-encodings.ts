import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { ENCODINGS, type Encoding } from '../../common/conditional/encoding';
import { IfNoneMatch } from '../../common/conditional/if-none-match';
import { CODINGS_HERE } from './compress';

/** Browsers send some 25. Reading 16,000 would take as long as a hundred requests. */
const MAX_CHARACTERS = 256;

const AVAILABLE: readonly Encoding[] = [...CODINGS_HERE, 'identity'];
const ONLY_PLAIN: readonly Encoding[] = ['identity'];

/** What headers meant: there are few, and each call of a client has one. */
const recent = new LRUCache<string, readonly Encoding[]>({ max: 100 });

/**
 * The forms in which the client takes an answer, the best first (RFC 9110, 12.5.3). One that says
 * nothing takes all, and is best served plainly; one that takes none is served plainly, too.
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

/** What the client says it has already; undefined where it says nothing. */
export function ifNoneMatchOf(headers: IncomingHttpHeaders): IfNoneMatch | undefined {
  const header = headers['if-none-match'];
  if (header === undefined) return undefined;
  return new IfNoneMatch(header, acceptedEncodings(headers['accept-encoding']));
}
