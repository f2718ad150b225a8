import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import { queryClient } from '../query-client';

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** Second factors of the signed-in user. */
export interface Factors {
  readonly totp: { readonly confirmedAt: string } | null;
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodes: number;
}

/** A factor that was added. */
export interface AddedFactor {
  /** `null` if the user has some already. */
  readonly recoveryCodes: readonly string[] | null;
}

export const factorsQuery = queryOptions({
  queryKey: ['factors'],
  queryFn: async ({ signal }) => (await request<Factors>('GET', '/factors', { signal })).data,
});

export const reloadFactors = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey });

/** Returns whether sign-ins ask for a second factor. */
export const hasFactor = ({ totp, passkeys }: Factors): boolean =>
  totp !== null || passkeys.length > 0;
