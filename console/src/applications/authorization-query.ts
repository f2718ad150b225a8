import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/client';
import type { Query } from '../query-client';

/** A request of an application for access. */
export interface AuthorizationRequest {
  readonly application: {
    readonly name: string;
    /** URL of the metadata document of the application, if it has a `documentHost`. */
    readonly clientId: string;
    readonly documentHost: string | null;
  };
  readonly redirectHost: string;
  readonly isLocal: boolean;
  /** Why the request cannot be allowed. */
  readonly problem: string | null;
  readonly audience: 'mcp' | 'api' | null;
  /** Permissions that the application asks for, with those that these include. */
  readonly scopes: readonly string[];
  /** Leads back without access. */
  readonly denyUrl: string;
}

export const authorizationQuery = (query: string): Query<AuthorizationRequest> =>
  queryOptions({
    queryKey: ['authorization', query],
    queryFn: async ({ signal }) => {
      const options = { body: { query }, signal };
      return (await request<AuthorizationRequest>('POST', '/applications/request', options)).data;
    },
    // The user decides about what was shown.
    staleTime: Infinity,
    retry: false,
  });
