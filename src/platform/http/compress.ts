import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import {
  type Coding,
  CODINGS,
  type Encoding,
  ENCODINGS,
  IfNoneMatch,
} from '../../common/conditional/if-match';

/**
 * `fast` for content that is sent once; `small` for content that is compressed once and sent often.
 */
export type Effort = 'fast' | 'small';

type Compressor = (bytes: Buffer, effort: Effort) => Promise<Buffer>;

/** Zstandard of Node 22.15 and 23.8. The installed types are for an older version. */
interface WithZstd {
  readonly zstdCompress?: (
    bytes: Buffer,
    options: { readonly params: Readonly<Record<number, number>> },
    callback: zlib.CompressCallback,
  ) => void;
}

const { constants } = zlib;
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const { zstdCompress } = zlib as WithZstd;
const zstd = zstdCompress && promisify(zstdCompress);
/** Value of `ZSTD_c_compressionLevel`. */
const ZSTD_LEVEL = 100;
/**
 * Compression levels for `small`. Higher ones take seconds for a megabyte and save only a few
 * percent.
 */
const SMALL_ZSTD_LEVEL = 12;
const SMALL_BROTLI_QUALITY = 9;

/** Compressors by coding. For the cost and savings of the fast levels, see docs/performance.md. */
export const COMPRESSORS: Readonly<Partial<Record<Coding, Compressor>>> = {
  ...(zstd && {
    zstd: (bytes, effort) =>
      zstd(bytes, { params: { [ZSTD_LEVEL]: effort === 'fast' ? 1 : SMALL_ZSTD_LEVEL } }),
  }),
  br: (bytes, effort) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: effort === 'fast' ? 3 : SMALL_BROTLI_QUALITY,
        // The default of 4 MB of memory for each response costs more time than the compression.
        [constants.BROTLI_PARAM_LGWIN]: effort === 'fast' ? 16 : constants.BROTLI_DEFAULT_WINDOW,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes, effort) =>
    gzip(bytes, {
      level: effort === 'fast' ? constants.Z_BEST_SPEED : constants.Z_BEST_COMPRESSION,
    }),
};

/**
 * Bytes from which a text is large: it keeps one of the four threads of Node's pool busy for 5 ms
 * or more.
 */
const MAX_AT_ONCE_BYTES = 1024 * 1024;
/**
 * Large texts compressed at a time. The other threads stay free for small texts, files and
 * passwords.
 */
const MAX_LARGE = 2;

/** Large texts being compressed. */
let large = 0;
const waiting: (() => void)[] = [];

/**
 * Returns whether a text of this size would be compressed without waiting. If not, the client
 * receives it sooner uncompressed.
 */
export const canCompressWithoutWaiting = (bytes: number): boolean =>
  bytes < MAX_AT_ONCE_BYTES || large < MAX_LARGE;

/** Codings that this Node version supports, in the same order. */
export const CODINGS_HERE: readonly Coding[] = CODINGS.filter((coding) => coding in COMPRESSORS);

/**
 * Compresses on another thread, so that other requests continue. At most two large texts are
 * compressed at a time; others wait.
 * @param coding One of `CODINGS_HERE`.
 */
export function compress(bytes: Buffer, coding: Coding, effort: Effort = 'fast'): Promise<Buffer> {
  const compressor = COMPRESSORS[coding];
  if (!compressor) throw new Error(`This Node has no ${coding}.`);
  if (bytes.length < MAX_AT_ONCE_BYTES) return compressor(bytes, effort);
  return inTurn(() => compressor(bytes, effort));
}

async function inTurn(work: () => Promise<Buffer>): Promise<Buffer> {
  if (large < MAX_LARGE) large += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else large -= 1;
  }
}

/**
 * Longest header that is parsed. Browsers send about 25 characters; parsing 16,000 would take as
 * long as a hundred requests.
 */
const MAX_CHARACTERS = 256;

const AVAILABLE: readonly Encoding[] = [...CODINGS_HERE, 'identity'];
const ONLY_PLAIN: readonly Encoding[] = ['identity'];

/** Codings that clients like equally, best first. */
const PREFERRED: Readonly<Record<Effort, readonly Coding[]>> = {
  fast: CODINGS_HERE,
  small: ['br', ...CODINGS_HERE.filter((coding) => coding !== 'br')],
};

/** Recently parsed headers. Clients use few distinct values and send one with each request. */
const recent: Readonly<Record<Effort, LRUCache<string, readonly Encoding[]>>> = {
  fast: new LRUCache({ max: 100 }),
  small: new LRUCache({ max: 100 }),
};

/**
 * Returns the encodings that the client accepts, best first (RFC 9110, 12.5.3). Without the header,
 * every encoding is accepted and `identity` is best. If the client accepts none of the available
 * encodings, the result is `identity` only.
 * @param effort What is best among encodings that the client likes equally.
 */
export function acceptedEncodings(
  header: string | undefined,
  effort: Effort = 'fast',
): readonly Encoding[] {
  if (header === undefined) return ENCODINGS;
  if (header.length > MAX_CHARACTERS) return ONLY_PLAIN;
  const known = recent[effort].get(header);
  if (known) return known;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } });
  const found = negotiator.encodings(AVAILABLE, { preferred: PREFERRED[effort] });
  const accepted = found.length > 0 ? found : ONLY_PLAIN;
  recent[effort].set(header, accepted);
  return accepted;
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
