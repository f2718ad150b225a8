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

/** Those that this Node has, in the same order. */
export const CODINGS_HERE: readonly Coding[] = CODINGS.filter((coding) => coding in COMPRESSORS);

/**
 * @param coding One of `CODINGS_HERE`.
 * @returns the bytes in that coding; made on another thread, so that other requests go on.
 */
export function compress(bytes: Buffer, coding: Coding, effort: Effort = 'fast'): Promise<Buffer> {
  const compressor = COMPRESSORS[coding];
  if (!compressor) throw new Error(`This Node has no ${coding}.`);
  return compressor(bytes, effort);
}
