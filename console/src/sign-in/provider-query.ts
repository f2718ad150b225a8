import { queryOptions, type UseQueryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import { readStored, store } from '../common/browser-storage';

/** What a browser knows of a provider before a sign-in. */
export interface KnownProvider {
  readonly id: string;
  readonly name: string;
  /** Host of its issuer. */
  readonly host: string;
}

type Options = UseQueryOptions<KnownProvider, Error, KnownProvider, string[]>;

export const providerQuery = (id: string): Options =>
  queryOptions({
    queryKey: ['provider', id],
    queryFn: async ({ signal }) =>
      (
        await request<KnownProvider>('GET', `/providers/${encodeURIComponent(id)}`, {
          signal,
          isSessionQuiet: true,
        })
      ).data,
  });

const KEY = 'datagrid.provider';

export function rememberProvider({ id, name, host }: KnownProvider): void {
  store(KEY, JSON.stringify({ id, name, host }));
}

export function forgetProvider(): void {
  store(KEY, null);
}

/** Returns the provider that this browser has used last, for a button of the sign-in page. */
export function rememberedProvider(): KnownProvider | undefined {
  try {
    const stored = JSON.parse(readStored(KEY) ?? 'null') as Partial<KnownProvider> | null;
    const { id, name, host } = stored ?? {};
    if (typeof id !== 'string' || typeof name !== 'string' || typeof host !== 'string')
      return undefined;
    return { id, name, host };
  } catch {
    return undefined;
  }
}

const RETURN = 'datagrid.return';

/** Remembers in this tab the path of the page that a user wanted before the sign-in. */
export function keepReturn(path = '/'): void {
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
