import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../common/text/id';
import { Sealer, wrappingKeyIdOf } from '../platform/secrets/sealer';
import {
  type CountedSecret,
  countSecrets,
  requireWrappingKey,
  type SealResult,
  type SecretStatus,
} from '../platform/secrets/secret-status';
import { ConnectionSecretRepository, type StoredSecret } from './connection-secret.repository';
import { ConnectionSecrets } from '../destinations/connection-secrets';

const PAGE_SIZE = 500;

/** Reports how the secrets of connections are stored, and seals them with the current key. */
@Injectable()
export class ConnectionSecretService {
  constructor(
    private readonly repository: ConnectionSecretRepository,
    private readonly secrets: ConnectionSecrets,
    private readonly sealer: Sealer,
  ) {}

  /** Counts secrets by the key that seals them. */
  async status(): Promise<SecretStatus> {
    return countSecrets(this.sealer, this.counted());
  }

  /**
   * Seals secrets in clear, and wraps those of older keys with the current key. Leaves those that cannot
   * be opened. Can run while the service does.
   * @throws ConfigError without a key.
   */
  async seal(): Promise<SealResult> {
    requireWrappingKey(this.sealer);
    const total = { sealed: 0, rewrapped: 0, unopenable: 0 };
    for await (const stored of this.all()) {
      const outcome = await this.sealOne(stored);
      if (outcome !== null) total[outcome] += 1;
    }
    return total;
  }

  /** @returns what was done; `null` if nothing was to do. */
  private async sealOne(stored: StoredSecret): Promise<keyof SealResult | null> {
    const { id, secret } = stored;
    if (!this.secrets.opens(id, secret)) return 'unopenable';
    const resealed = this.secrets.reseal(id, secret);
    if (!resealed) return null;
    if (await this.repository.replace(stored, resealed)) {
      return wrappingKeyIdOf(secret) === null ? 'sealed' : 'rewrapped';
    }
    // A user has changed or deleted it.
    const again = await this.repository.find(id);
    return again && this.sealOne(again);
  }

  private async *counted(): AsyncGenerator<CountedSecret> {
    for await (const { id, secret } of this.all()) {
      yield { stored: secret, opens: this.secrets.opens(id, secret) };
    }
  }

  private async *all(): AsyncGenerator<StoredSecret> {
    let page = await this.repository.list(NIL_ID, PAGE_SIZE);
    while (page.length > 0) {
      yield* page;
      page = await this.repository.list(page.at(-1)?.id ?? '', PAGE_SIZE);
    }
  }
}
