import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import type { PageMeta } from '../api/api-response';
import { request } from '../api/client';
import type { RequestFilter } from './request-filter';

/** A request that was sent with an API key. */
export interface KeyRequest {
  readonly id: string;
  readonly at: string;
  readonly key: {
    readonly id: string;
    /** `null` if the key has been deleted. */
    readonly name: string | null;
    /** `null` for an application. */
    readonly lastFour: string | null;
    readonly isApplication: boolean;
    /** `null` for a key of another user, except for owners. */
    readonly email: string | null;
  };
  readonly method: string;
  /** Pattern of the route; `null` if no route matches. */
  readonly route: string | null;
  /** `null` if the connection ended before a response began. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestId: string;
  readonly errorCode: string | null;
  readonly aborted: boolean;
}

export interface RequestLogMeta extends PageMeta {
  readonly leftOut: { readonly requests: number; readonly lastHour: string | null };
  /** 0 if the log is off. */
  readonly retentionDays: number;
  readonly maxEntries: number;
}

export interface RequestPage {
  readonly requests: readonly KeyRequest[];
  readonly meta: RequestLogMeta;
}

const PAGE_SIZE = 50;
const RELOAD_MS = 10_000;

/** The requests that match the filter, newest first. Reloads them while only the newest are shown. */
export function useRequests(
  filter: RequestFilter,
): UseInfiniteQueryResult<InfiniteData<RequestPage>> {
  return useInfiniteQuery({
    queryKey: ['requests', filter],
    queryFn: async ({ pageParam, signal }): Promise<RequestPage> => {
      const query = { ...filter, limit: PAGE_SIZE, cursor: pageParam };
      const options = { query, signal };
      const { data, meta } = await request<readonly KeyRequest[]>('GET', '/requests', options);
      return { requests: data, meta: meta as RequestLogMeta };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? RELOAD_MS : false),
  });
}
