import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { WrappingKey } from './key-file';

/**
 * Thrown when a sealed secret cannot be opened. The message is for operators, and contains neither the
 * secret nor a key.
 */
export class SealError extends Error {}

const ALGORITHM = 'aes-256-gcm';
/**
 * First byte of a sealed secret. Secrets in clear are keys, which are shorter than a sealed secret, or
 * texts, which must not contain this byte.
 */
const MARK = 0;
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
const NOT_AUTHENTIC = 'The secret was changed, moved, or sealed with another key of the same id.';
/** Bytes that encryption adds. */
const OVERHEAD = NONCE_BYTES + TAG_BYTES;
const WRAPPED_BYTES = DATA_KEY_BYTES + OVERHEAD;
/** Mark, version and length of the key's id. */
const FIXED_BYTES = 3;

/** The parts of a sealed secret. */
interface Sealed {
  readonly version: number;
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

/**
 * Seals secrets that the service needs in clear, such as keys of signatures and passwords of others, so
 * that the database alone does not reveal them. Each secret is encrypted with a random data key of its
 * own (AES-256-GCM), which is encrypted with the first wrapping key. Further wrapping keys only open.
 * Without any, secrets are stored in clear.
 *
 * A sealed secret is: `00`, version `01`, length and ASCII of the wrapping key's id, wrapped data key
 * (60 bytes), and encrypted secret. Both encrypted parts are a nonce (12 bytes), the ciphertext and a
 * tag (16 bytes). Later versions must have the id at the same place.
 *
 * A secret opens only at its `place`, such as `webhook:<id>:secret`: a copy in another row does not.
 */
export class Sealer {
  private readonly keys: ReadonlyMap<string, KeyObject>;
  private readonly current: WrappingKey | undefined;

  constructor(keys: readonly WrappingKey[]) {
    this.current = keys[0];
    this.keys = new Map(keys.map(({ id, key }) => [id, key]));
  }

  /** Ids of the wrapping keys. The first one seals. */
  get keyIds(): readonly string[] {
    return [...this.keys.keys()];
  }

  /** Returns the bytes to store: the sealed secret, or the secret itself without a wrapping key. */
  seal(secret: Buffer, place: string): Buffer {
    if (!this.current) return secret;
    const dataKey = randomBytes(DATA_KEY_BYTES);
    const wrappedKey = wrap(this.current, dataKey, place);
    const ciphertext = encrypt(dataKey, secret, place);
    return join({ keyId: this.current.id, wrappedKey, ciphertext });
  }

  /**
   * Returns the secret of stored bytes, sealed or in clear.
   * @throws SealError if its wrapping key is missing, or if it was changed or sealed for another place.
   */
  open(stored: Buffer, place: string): Buffer {
    const sealed = split(stored);
    return sealed ? decrypt(this.unwrap(sealed, place), sealed.ciphertext, place) : stored;
  }

  /**
   * Seals stored bytes that are in clear, and wraps the data key of sealed ones with the first key.
   * @returns `null` if nothing is to change.
   * @throws SealError as `open` does.
   */
  reseal(stored: Buffer, place: string): Buffer | null {
    if (!this.current) return null;
    const sealed = split(stored);
    if (!sealed) return this.seal(stored, place);
    if (sealed.keyId === this.current.id) return null;
    const wrappedKey = wrap(this.current, this.unwrap(sealed, place), place);
    return join({ keyId: this.current.id, wrappedKey, ciphertext: sealed.ciphertext });
  }

  private unwrap({ version, keyId, wrappedKey }: Sealed, place: string): Buffer {
    if (version !== VERSION) {
      throw new SealError(`The secret is sealed in the unknown version ${String(version)}.`);
    }
    const key = this.keys.get(keyId);
    if (!key) {
      throw new SealError(`The secret is sealed with the key "${keyId}", which is missing.`);
    }
    return decrypt(key, wrappedKey, wrapPlace(keyId, place));
  }
}

/** Returns the id of the key that wraps the data key of stored bytes; `null` if they are in clear. */
export function wrappingKeyIdOf(stored: Buffer): string | null {
  return split(stored)?.keyId ?? null;
}

/** @returns `null` if the bytes are a secret in clear. */
function split(stored: Buffer): Sealed | null {
  const [mark, version = 0, idLength = 0] = stored;
  if (mark !== MARK || stored.length < FIXED_BYTES + 1 + WRAPPED_BYTES + OVERHEAD) return null;
  const wrappedAt = FIXED_BYTES + idLength;
  const ciphertextAt = wrappedAt + WRAPPED_BYTES;
  return {
    version,
    keyId: stored.toString('latin1', FIXED_BYTES, wrappedAt),
    wrappedKey: stored.subarray(wrappedAt, ciphertextAt),
    ciphertext: stored.subarray(ciphertextAt),
  };
}

function join({ keyId, wrappedKey, ciphertext }: Omit<Sealed, 'version'>): Buffer {
  const head = Buffer.from([MARK, VERSION, keyId.length]);
  return Buffer.concat([head, Buffer.from(keyId, 'latin1'), wrappedKey, ciphertext]);
}

const wrap = ({ id, key }: WrappingKey, dataKey: Buffer, place: string): Buffer =>
  encrypt(key, dataKey, wrapPlace(id, place));

/** Additional data of a wrapped key. The data of the secret is its place alone. */
const wrapPlace = (keyId: string, place: string): string => `${keyId} ${place}`;

function encrypt(key: KeyObject | Buffer, plain: Buffer, additional: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(additional));
  const parts = [nonce, cipher.update(plain), cipher.final()];
  return Buffer.concat([...parts, cipher.getAuthTag()]);
}

/** @throws SealError if the tag does not match. */
function decrypt(key: KeyObject | Buffer, encrypted: Buffer, additional: string): Buffer {
  const tagAt = encrypted.length - TAG_BYTES;
  try {
    const nonce = encrypted.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(additionalData(additional));
    decipher.setAuthTag(encrypted.subarray(tagAt));
    const plain = decipher.update(encrypted.subarray(NONCE_BYTES, tagAt));
    return Buffer.concat([plain, decipher.final()]);
  } catch (cause) {
    throw new SealError(NOT_AUTHENTIC, { cause });
  }
}

const additionalData = (text: string): Buffer => Buffer.from(`v${String(VERSION)} ${text}`);

/** Provides the sealer to all modules. */
@Global()
@Module({})
export class SecretsModule {
  static of(keys: readonly WrappingKey[]): DynamicModule {
    return {
      module: SecretsModule,
      providers: [{ provide: Sealer, useValue: new Sealer(keys) }],
      exports: [Sealer],
    };
  }
}
