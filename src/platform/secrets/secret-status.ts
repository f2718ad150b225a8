import { ConfigError } from '../config/app-config';
import { type Sealer, wrappingKeyIdOf } from './sealer';

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

/** A stored secret, and whether it can be opened. */
export interface CountedSecret {
  readonly stored: Buffer;
  readonly opens: boolean;
}

/** Counts secrets by the key that seals them. */
export async function countSecrets(
  { keyIds }: Sealer,
  secrets: AsyncIterable<CountedSecret>,
): Promise<SecretStatus> {
  const counts = new Map(keyIds.map((id) => [id, 0]));
  let [clear, unopenable] = [0, 0];
  for await (const { stored, opens } of secrets) {
    const keyId = wrappingKeyIdOf(stored);
    if (keyId === null) clear += 1;
    else counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    if (!opens) unopenable += 1;
  }
  const stateOf = (id: string): KeyUse['state'] => {
    if (id === keyIds[0]) return 'current';
    return keyIds.includes(id) ? 'older' : 'missing';
  };
  const keys = [...counts].map(([id, count]) => ({ id, state: stateOf(id), secrets: count }));
  return { clear, keys, unopenable };
}

/** Returns the status of the secrets of both. */
export function joinStatuses(first: SecretStatus, second: SecretStatus): SecretStatus {
  const keys = new Map(first.keys.map((key) => [key.id, key]));
  for (const key of second.keys) {
    keys.set(key.id, { ...key, secrets: key.secrets + (keys.get(key.id)?.secrets ?? 0) });
  }
  return {
    clear: first.clear + second.clear,
    keys: [...keys.values()],
    unopenable: first.unopenable + second.unopenable,
  };
}

/** @throws ConfigError if no key can seal. */
export function requireWrappingKey({ keyIds }: Sealer): void {
  if (keyIds.length === 0) {
    throw new ConfigError('SECRETS_KEY_FILE must be set to seal secrets.');
  }
}
