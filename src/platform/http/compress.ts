import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { CODINGS, type Coding } from '../../common/conditional/encoding';

/** `fast` for what is sent once; `small` for what is compressed once and sent many times. */
export type Effort = 'fast' | 'small';

type Compressor = (bytes: Buffer, effort: Effort) => Promise<Buffer>;

/** Of Node 22.15 and 23.8; the types are of an older one. */
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
/** `ZSTD_c_compressionLevel` */
const ZSTD_LEVEL = 100;
/** Higher ones take seconds for a megabyte, and save some percent. */
const SMALL_ZSTD_LEVEL = 12;
const SMALL_BROTLI_QUALITY = 9;

/** Fast levels: docs/performance.md has what they cost and save. */
const COMPRESSORS: Readonly<Partial<Record<Coding, Compressor>>> = {
  ...(zstd && {
    zstd: (bytes, effort) =>
      zstd(bytes, { params: { [ZSTD_LEVEL]: effort === 'fast' ? 1 : SMALL_ZSTD_LEVEL } }),
  }),
  br: (bytes, effort) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: effort === 'fast' ? 3 : SMALL_BROTLI_QUALITY,
        // The usual 4 MB of memory for each answer cost more time than the work itself.
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

/** A text of this size keeps a thread of Node's pool, which has four, busy for 5 ms and more. */
const LARGE_BYTES = 1024 * 1024;
/** The other threads stay free for small texts, files and passwords. */
const MAX_LARGE = 2;

/** Large texts that are being compressed. */
let large = 0;
const waiting: (() => void)[] = [];

/** Whether so many bytes would be compressed at once. Otherwise a client gets them sooner as they are. */
export const compressesAtOnce = (bytes: number): boolean =>
  bytes < LARGE_BYTES || large < MAX_LARGE;

/** Those that this Node has, in the same order. */
export const CODINGS_HERE: readonly Coding[] = CODINGS.filter((coding) => coding in COMPRESSORS);

/**
 * Compresses on another thread, so that other requests go on; of large texts two at a time.
 * @param coding One of `CODINGS_HERE`.
 */
export function compress(bytes: Buffer, coding: Coding, effort: Effort = 'fast'): Promise<Buffer> {
  const compressor = COMPRESSORS[coding];
  if (!compressor) throw new Error(`This Node has no ${coding}.`);
  if (bytes.length < LARGE_BYTES) return compressor(bytes, effort);
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
