import { queryOptions, type UseQueryOptions } from '@tanstack/react-query';
import { request } from '../api/client';

/** A provider that this browser has used. */
export interface KnownProvider {
  readonly id: string;
  readonly name: string;
}

type Name = Pick<KnownProvider, 'name'>;

export const providerQuery = (id: string): UseQueryOptions<Name, Error, Name, string[]> =>
  queryOptions({
    queryKey: ['provider', id],
    queryFn: async ({ signal }) =>
      (
        await request<Name>('GET', `/providers/${encodeURIComponent(id)}`, {
          signal,
          isSessionQuiet: true,
        })
      ).data,
  });

const KEY = 'datagrid.provider';

export function rememberProvider(provider: KnownProvider): void {
  localStorage.setItem(KEY, JSON.stringify(provider));
}

/** Returns the provider that this browser has used last, for a button of the sign-in page. */
export function rememberedProvider(): KnownProvider | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<KnownProvider> | null;
    const { id, name } = stored ?? {};
    return typeof id === 'string' && typeof name === 'string' ? { id, name } : undefined;
  } catch {
    return undefined;
  }
}

const RETURN_KEY = 'datagrid.return';

/** Keeps the page to return to after the sign-in, until this tab has come back from the provider. */
export function keepReturn(path: string | undefined): void {
  if (path === undefined) sessionStorage.removeItem(RETURN_KEY);
  else sessionStorage.setItem(RETURN_KEY, path);
}

/** Returns the page to return to, once. */
export function takeReturn(): string {
  const path = sessionStorage.getItem(RETURN_KEY) ?? '/';
  sessionStorage.removeItem(RETURN_KEY);
  return path;
}
