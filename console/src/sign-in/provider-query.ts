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

const RETURN = 'datagrid.return';

/** Remembers in this tab the path of the page that a user wanted before the sign-in. */
export function rememberReturn(path: string): void {
  try {
    sessionStorage.setItem(RETURN, path);
  } catch {
    // Without storage, the sign-in leads to the first page.
  }
}

/** Returns the path to return to after a sign-in, once. */
export function takeReturn(): string {
  try {
    const path = sessionStorage.getItem(RETURN) ?? '/';
    sessionStorage.removeItem(RETURN);
    return path;
  } catch {
    return '/';
  }
}
