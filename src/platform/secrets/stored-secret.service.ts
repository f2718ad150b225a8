import { NIL_ID } from '../../common/text/id';
import { SealError, type Sealer, wrappingKeyIdOf } from './sealer';
import {
  type CountedSecret,
  countSecrets,
  requireWrappingKey,
  type SealResult,
  type SecretStatus,
} from './secret-status';

const PAGE_SIZE = 500;

/** A secret as it is stored, with the id of its owner. */
export interface StoredSecret {
  readonly id: string;
  readonly secret: Buffer;
}

/** The table of secrets of one kind. */
export interface SecretStore {
  /** Lists secrets by id, after `afterId`. */
  list(afterId: string, limit: number): Promise<StoredSecret[]>;
  find(id: string): Promise<StoredSecret | null>;
  /** Replaces a secret, if it is still that of `before`. @returns whether it was. */
  replace(before: StoredSecret, secret: Buffer): Promise<boolean>;
}

/** Reports how the secrets of one kind are stored, and seals them with the current key. */
export class StoredSecretService {
  /** @param placeOf Returns the place of a secret, by the id of its owner. */
  constructor(
    private readonly sealer: Sealer,
    private readonly store: SecretStore,
    private readonly placeOf: (id: string) => string,
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
    if (!this.opens(stored)) return 'unopenable';
    const resealed = this.sealer.reseal(secret, this.placeOf(id));
    if (!resealed) return null;
    if (await this.store.replace(stored, resealed)) {
      return wrappingKeyIdOf(secret) === null ? 'sealed' : 'rewrapped';
    }
    // A user has changed or deleted it.
    const again = await this.store.find(id);
    return again && this.sealOne(again);
  }

  private opens({ id, secret }: StoredSecret): boolean {
    try {
      this.sealer.open(secret, this.placeOf(id));
      return true;
    } catch (error) {
      if (error instanceof SealError) return false;
      throw error;
    }
  }

  private async *counted(): AsyncGenerator<CountedSecret> {
    for await (const stored of this.all()) {
      yield { stored: stored.secret, opens: this.opens(stored) };
    }
  }

  private async *all(): AsyncGenerator<StoredSecret> {
    let page = await this.store.list(NIL_ID, PAGE_SIZE);
    while (page.length > 0) {
      yield* page;
      page = await this.store.list(page.at(-1)?.id ?? '', PAGE_SIZE);
    }
  }
}
