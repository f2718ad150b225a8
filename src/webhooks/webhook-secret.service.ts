import { Injectable } from '@nestjs/common';
import { ConfigError } from '../platform/config/app-config';
import { Sealer, wrappingKeyIdOf } from '../platform/secrets/sealer';
import { SigningSecrets } from './signing-secrets';
import { type StoredSecrets, WebhookSecretRepository } from './webhook-secret.repository';

const PAGE_SIZE = 500;
/** Sorts before all other ids. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Secrets of one wrapping key. */
export interface KeyUse {
  readonly id: string;
  /** `current` seals, `older` only opens, `missing` is not in SECRETS_KEY_FILE. */
  readonly state: 'current' | 'older' | 'missing';
  readonly secrets: number;
}

export interface SecretStatus {
  /** Secrets in clear. */
  readonly clear: number;
  /** Every key of SECRETS_KEY_FILE, also without secrets, and the missing ones that secrets need. */
  readonly keys: readonly KeyUse[];
  /** Secrets that cannot be opened, whatever the reason. */
  readonly unopenable: number;
}

export interface SealResult {
  /** Secrets that were in clear. */
  readonly sealed: number;
  /** Secrets that were sealed with an older key. */
  readonly rewrapped: number;
  readonly unopenable: number;
}

/** Reports how the secrets of webhooks are stored, and seals them with the current key. */
@Injectable()
export class WebhookSecretService {
  constructor(
    private readonly repository: WebhookSecretRepository,
    private readonly secrets: SigningSecrets,
    private readonly sealer: Sealer,
  ) {}

  /** Counts secrets by the key that seals them. Previous ones count while they sign. */
  async status(): Promise<SecretStatus> {
    const { keyIds } = this.sealer;
    const counts = new Map(keyIds.map((id) => [id, 0]));
    let [clear, unopenable] = [0, 0];
    for await (const stored of this.all()) {
      const { id, secret, previousSecret, isPreviousUsed } = stored;
      for (const each of previousSecret && isPreviousUsed ? [secret, previousSecret] : [secret]) {
        const keyId = wrappingKeyIdOf(each);
        if (keyId === null) clear += 1;
        else counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
        if (!this.secrets.opens(id, each)) unopenable += 1;
      }
    }
    const stateOf = (id: string): KeyUse['state'] => {
      if (id === keyIds[0]) return 'current';
      return keyIds.includes(id) ? 'older' : 'missing';
    };
    const keys = [...counts].map(([id, secrets]) => ({ id, state: stateOf(id), secrets }));
    return { clear, keys, unopenable };
  }

  /**
   * Seals secrets in clear, wraps those of older keys with the current key, and deletes previous ones
   * that no longer sign. Leaves those that cannot be opened. Can run while the service does.
   * @throws ConfigError without a key.
   */
  async seal(): Promise<SealResult> {
    if (this.sealer.keyIds.length === 0) {
      throw new ConfigError('SECRETS_KEY_FILE must be set to seal secrets.');
    }
    const total = { sealed: 0, rewrapped: 0, unopenable: 0 };
    for await (const stored of this.all()) {
      const counted = await this.sealOne(stored);
      total.sealed += counted.sealed;
      total.rewrapped += counted.rewrapped;
      total.unopenable += counted.unopenable;
    }
    return total;
  }

  private async sealOne(stored: StoredSecrets): Promise<SealResult> {
    const counted = { sealed: 0, rewrapped: 0, unopenable: 0 };
    const next = (secret: Buffer): Buffer => {
      if (!this.secrets.opens(stored.id, secret)) {
        counted.unopenable += 1;
        return secret;
      }
      const resealed = this.secrets.reseal(stored.id, secret);
      if (resealed) counted[wrappingKeyIdOf(secret) === null ? 'sealed' : 'rewrapped'] += 1;
      return resealed ?? secret;
    };
    const secret = next(stored.secret);
    const { previousSecret: previous, isPreviousUsed } = stored;
    const previousSecret = previous && isPreviousUsed ? next(previous) : null;
    const isSame = secret === stored.secret && previousSecret === previous;
    if (isSame || (await this.repository.replace(stored, { secret, previousSecret })))
      return counted;
    // The webhook was rotated or deleted.
    const again = await this.repository.find(stored.id);
    return again ? this.sealOne(again) : { sealed: 0, rewrapped: 0, unopenable: 0 };
  }

  private async *all(): AsyncGenerator<StoredSecrets> {
    let page = await this.repository.list(NIL_ID, PAGE_SIZE);
    while (page.length > 0) {
      yield* page;
      page = await this.repository.list(page.at(-1)?.id ?? '', PAGE_SIZE);
    }
  }
}
