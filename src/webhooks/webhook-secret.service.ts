import { Injectable } from '@nestjs/common';
import { Sealer, wrappingKeyIdOf } from '../platform/secrets/sealer';
import {
  type CountedSecret,
  countSecrets,
  requireWrappingKey,
  type SealResult,
  type SecretStatus,
} from '../platform/secrets/secret-status';
import { SigningSecrets } from './signing-secrets';
import { type StoredSecrets, WebhookSecretRepository } from './webhook-secret.repository';

const PAGE_SIZE = 500;
/** Sorts before all other ids. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

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
    return countSecrets(this.sealer, this.used());
  }

  /**
   * Seals secrets in clear, wraps those of older keys with the current key, and deletes previous ones
   * that no longer sign. Leaves those that cannot be opened. Can run while the service does.
   * @throws ConfigError without a key.
   */
  async seal(): Promise<SealResult> {
    requireWrappingKey(this.sealer);
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

  private async *used(): AsyncGenerator<CountedSecret> {
    for await (const { id, secret, previousSecret, isPreviousUsed } of this.all()) {
      const used = previousSecret && isPreviousUsed ? [secret, previousSecret] : [secret];
      for (const stored of used) yield { stored, opens: this.secrets.opens(id, stored) };
    }
  }

  private async *all(): AsyncGenerator<StoredSecrets> {
    let page = await this.repository.list(NIL_ID, PAGE_SIZE);
    while (page.length > 0) {
      yield* page;
      page = await this.repository.list(page.at(-1)?.id ?? '', PAGE_SIZE);
    }
  }
}
