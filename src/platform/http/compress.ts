import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { CODINGS, type Coding } from '../../common/conditional/encoding';

type Compressor = (bytes: Buffer) => Promise<Buffer>;

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

/** Levels chosen for speed: docs/performance.md has what they cost and save. */
const COMPRESSORS: Readonly<Partial<Record<Coding, Compressor>>> = {
  ...(zstd && { zstd: (bytes) => zstd(bytes, { params: { [ZSTD_LEVEL]: 1 } }) }),
  br: (bytes) =>
    brotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 3,
        // The usual 4 MB of memory for each answer cost more time than the work itself.
        [constants.BROTLI_PARAM_LGWIN]: 16,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => gzip(bytes, { level: constants.Z_BEST_SPEED }),
};

/** Those that this Node has, in the same order. */
export const CODINGS_HERE: readonly Coding[] = CODINGS.filter((coding) => coding in COMPRESSORS);

/**
 * @param coding One of `CODINGS_HERE`.
 * @returns the bytes in that coding; made on another thread, so that other requests go on.
 */
export function compress(bytes: Buffer, coding: Coding): Promise<Buffer> {
  const compressor = COMPRESSORS[coding];
  if (!compressor) throw new Error(`This Node has no ${coding}.`);
  return compressor(bytes);
}
