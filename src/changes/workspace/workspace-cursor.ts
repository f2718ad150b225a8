import { type DetailCode, invalidField } from '../../common/error/app-error';

/** Length of the hash of a bucket. Longer ones would make cursors too long for a URL. */
export const HASH_BYTES = 6;
/** Binary logarithm of the number of buckets that PostgreSQL computes, the maximum of a cursor. */
export const MAX_BITS = 9;
const MIN_BITS = 4;
export const MAX_BUCKETS = 2 ** MAX_BITS;

/**
 * Hashes of buckets of datagrids. A datagrid is in the bucket of the last bits of a hash of its id.
 * The hash of a bucket is the XOR of the hashes of its datagrids, each of which depends on the
 * revision and everything else that a reader gets; 0 if the bucket is empty. So the hashes of half
 * as many buckets follow from these, without reading a datagrid.
 */
export class Buckets {
  private constructor(
    readonly bits: number,
    private readonly hashes: Buffer,
  ) {}

  static empty(bits: number): Buckets {
    return new Buckets(bits, Buffer.alloc(HASH_BYTES * 2 ** bits));
  }

  /** @param hashes Numbers of buckets with their hashes. Others are empty. */
  static of(hashes: readonly (readonly [bucket: number, hash: number])[]): Buckets {
    const buckets = Buckets.empty(MAX_BITS);
    for (const [bucket, hash] of hashes) buckets.set(bucket, hash);
    return buckets;
  }

  static fromBytes(bits: number, hashes: Buffer): Buckets {
    return new Buckets(bits, hashes);
  }

  get count(): number {
    return 2 ** this.bits;
  }

  get bytes(): Buffer {
    return this.hashes;
  }

  get(bucket: number): number {
    return this.hashes.readUIntBE(bucket * HASH_BYTES, HASH_BYTES);
  }

  set(bucket: number, hash: number): void {
    this.hashes.writeUIntBE(hash, bucket * HASH_BYTES, HASH_BYTES);
  }

  /** Returns the hash of each bucket. */
  toNumbers(): number[] {
    return Array.from({ length: this.count }, (_, bucket) => this.get(bucket));
  }

  equals(other: Buckets): boolean {
    return this.hashes.equals(other.hashes);
  }

  copy(): Buckets {
    return new Buckets(this.bits, Buffer.from(this.hashes));
  }

  /** Returns the same hashes in `2 ** bits` buckets, which are not more than these. */
  fold(bits: number): Buckets {
    const folded = Buffer.alloc(HASH_BYTES * 2 ** bits);
    for (let index = 0; index < this.hashes.length; index += 1) {
      const into = index % folded.length;
      folded[into] = (folded[into] ?? 0) ^ (this.hashes[index] ?? 0);
    }
    return new Buckets(bits, folded);
  }
}

/** A bucket of which a page has returned some datagrids, but not all. */
export interface OpenBucket {
  /** Hash of the bucket when its first datagrids were read. */
  readonly hash: number;
  /** Id of the last datagrid that was returned. */
  readonly afterId: string;
}

/** Position of a reader in the feed of a workspace. */
export interface WorkspacePosition {
  /** The buckets as the reader knows them. */
  readonly known: Buckets;
  /**
   * Bucket with which the next page begins. After the last bucket, pages continue with the first
   * one, so that no bucket waits for others that change all the time.
   */
  readonly next: number;
  /** The part of this bucket that has been read; `null` if none of it has been read. */
  readonly open: OpenBucket | null;
}

/** Returns the binary logarithm of the number of buckets for so many datagrids: two for each. */
export function bitsFor(datagrids: number): number {
  return Math.min(MAX_BITS, Math.max(MIN_BITS, Math.ceil(Math.log2(2 * Math.max(1, datagrids)))));
}

const VERSION = 1;
const ID_BYTES = 16;
/** Number of the last bytes of a workspace's id that its cursors contain. */
const WORKSPACE_BYTES = 6;
const HEAD_BYTES = 2 + WORKSPACE_BYTES + 2;
const OPEN_BYTES = HASH_BYTES + ID_BYTES;
const OPEN_FLAG = 0x80;

/** Returns a cursor of up to 4,160 characters, which is opaque to clients. */
export function encodeWorkspaceCursor(workspaceId: string, position: WorkspacePosition): string {
  const { known, next, open } = position;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION, 0);
  head.writeUInt8(known.bits | (open ? OPEN_FLAG : 0), 1);
  tailOf(workspaceId).copy(head, 2);
  head.writeUInt16BE(next, 2 + WORKSPACE_BYTES);
  return Buffer.concat([head, ...(open ? [bytesOf(open)] : []), known.bytes]).toString('base64url');
}

/** Reads a cursor. @throws AppError `invalid_request` if it is invalid or of another workspace. */
export function decodeWorkspaceCursor(workspaceId: string, text: string): WorkspacePosition {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < HEAD_BYTES || bytes.toString('base64url') !== text) throw malformed();
  const flags = bytes.readUInt8(1);
  const [isOpen, bits] = [(flags & OPEN_FLAG) !== 0, flags & ~OPEN_FLAG];
  const from = HEAD_BYTES + (isOpen ? OPEN_BYTES : 0);
  if (bytes.readUInt8(0) !== VERSION || bits < MIN_BITS || bits > MAX_BITS) throw malformed();
  if (bytes.length !== from + HASH_BYTES * 2 ** bits) throw malformed();
  const next = bytes.readUInt16BE(2 + WORKSPACE_BYTES);
  if (next >= 2 ** bits) throw malformed();
  if (!bytes.subarray(2, 2 + WORKSPACE_BYTES).equals(tailOf(workspaceId))) {
    throw invalid('cursor_mismatch', 'was issued for another workspace');
  }
  const open = isOpen ? openOf(bytes.subarray(HEAD_BYTES, from)) : null;
  return { known: Buckets.fromBytes(bits, bytes.subarray(from)), next, open };
}

function bytesOf({ hash, afterId }: OpenBucket): Buffer {
  const bytes = Buffer.alloc(OPEN_BYTES);
  bytes.writeUIntBE(hash, 0, HASH_BYTES);
  Buffer.from(afterId.replaceAll('-', ''), 'hex').copy(bytes, HASH_BYTES);
  return bytes;
}

function openOf(bytes: Buffer): OpenBucket {
  const hex = bytes.toString('hex', HASH_BYTES);
  const afterId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { hash: bytes.readUIntBE(0, HASH_BYTES), afterId };
}

function tailOf(workspaceId: string): Buffer {
  return Buffer.from(workspaceId.slice(-2 * WORKSPACE_BYTES), 'hex');
}

function malformed(): Error {
  return invalid('invalid_format', 'is not a valid cursor');
}

function invalid(code: DetailCode, message: string): Error {
  return invalidField('cursor', code, message);
}
