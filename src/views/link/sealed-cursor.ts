import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Size of the length, in bytes, that precedes the text. */
const LENGTH_BYTES = 4;
/** Minimum size with padding. Sizes are powers of two, so that they reveal little about the values. */
const MIN_PADDED_BYTES = 256;

/**
 * Encrypts a cursor, which contains the sort values of a row, also those of hidden columns. A reader
 * can neither read nor forge a sealed one.
 * @param key 32 bytes.
 */
export function sealCursor(key: Buffer, cursor: string): string {
  const text = Buffer.from(cursor);
  let padded = MIN_PADDED_BYTES;
  while (padded < LENGTH_BYTES + text.length) padded *= 2;
  const plain = Buffer.alloc(padded);
  plain.writeUInt32BE(text.length);
  text.copy(plain, LENGTH_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/** Decrypts a sealed cursor. @returns `null` if it was not sealed with this key. */
export function openCursor(key: Buffer, text: string): string | null {
  const sealed = Buffer.from(text, 'base64url');
  if (sealed.length < NONCE_BYTES + TAG_BYTES + MIN_PADDED_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const parts = [decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    const plain = Buffer.concat(parts);
    return plain.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + plain.readUInt32BE());
  } catch {
    return null;
  }
}
