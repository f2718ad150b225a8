import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SealError, Sealer, wrappingKeyIdOf } from '../platform/secrets/sealer';

/** Opened keys that a process remembers. To open one takes 15 µs, a whole delivery about 500 µs. */
const MAX_OPENED = 2_000;

/**
 * Seals and opens the keys of signatures. The current and the previous key of a webhook have the same
 * place, so that a rotation moves the sealed bytes without opening them.
 */
@Injectable()
export class SigningSecrets {
  /** By place and stored bytes, so that no entry is ever out of date. */
  private readonly opened = new LRUCache<string, Buffer>({ max: MAX_OPENED });

  constructor(private readonly sealer: Sealer) {}

  /** Returns the bytes to store for a key of a webhook. */
  seal(webhookId: string, key: Buffer): Buffer {
    return this.sealer.seal(key, placeOf(webhookId));
  }

  /** Returns the key of stored bytes. @throws SealError if it cannot be opened. */
  open(webhookId: string, stored: Buffer): Buffer {
    if (wrappingKeyIdOf(stored) === null) return stored;
    const place = placeOf(webhookId);
    const name = place + stored.toString('latin1');
    const known = this.opened.get(name);
    if (known) return known;
    const key = this.sealer.open(stored, place);
    this.opened.set(name, key);
    return key;
  }

  /** Returns whether stored bytes can be opened. */
  opens(webhookId: string, stored: Buffer): boolean {
    try {
      this.open(webhookId, stored);
      return true;
    } catch (error) {
      if (error instanceof SealError) return false;
      throw error;
    }
  }

  /**
   * Returns the bytes to store instead, sealed with the first key of SECRETS_KEY_FILE; `null` if
   * nothing is to change.
   * @throws SealError if it cannot be opened.
   */
  reseal(webhookId: string, stored: Buffer): Buffer | null {
    return this.sealer.reseal(stored, placeOf(webhookId));
  }
}

const placeOf = (webhookId: string): string => `webhook:${webhookId}:secret`;
