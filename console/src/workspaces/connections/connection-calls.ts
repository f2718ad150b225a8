import { queryOptions, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { dataRequest } from '../../api/data';
import { queryClient, type Query } from '../../query-client';
import { HEALTH_MS, useLog } from '../integration/use-log';
import {
  isMoving,
  type Connection,
  type ConnectionRun,
  type ConnectionTable,
  type TableRequest,
  type TestResult,
} from './connection';
import type { ConnectionBody, TestBody } from './draft';
import { appendReads, type History } from './progress';

/** Interval at which it reads tables that are being loaded or are behind. */
const MOVING_MS = 2_000;

/** Maximum page size of the API. An account has fewer connections. */
const ALL = 200;

/** Number of tables that are read again every two seconds. More are read as often as the health. */
const MAX_MOVING = 200;

/** A destination has some seconds to respond, and the service may have to wait for its turn. */
const TEST_TIMEOUT_MS = 60_000;

const pathOf = (workspaceId: string): string => `/workspaces/${workspaceId}/connections`;

/** Location of a connection. */
export interface ConnectionRef {
  readonly workspaceId: string;
  readonly connectionId: string;
}

const refPath = ({ workspaceId, connectionId }: ConnectionRef): string =>
  `${pathOf(workspaceId)}/${connectionId}`;

const keyOf = ({ workspaceId, connectionId }: ConnectionRef): string[] => [
  'connections',
  workspaceId,
  connectionId,
];

export const connectionsQuery = (workspaceId: string): Query<readonly Connection[]> =>
  queryOptions({
    queryKey: ['connections', workspaceId],
    queryFn: async ({ signal }) => {
      const options = { query: { limit: ALL }, signal };
      return (await dataRequest<readonly Connection[]>('GET', pathOf(workspaceId), options)).data;
    },
    refetchInterval: HEALTH_MS,
  });

export const connectionQuery = (ref: ConnectionRef): Query<Connection> =>
  queryOptions({
    queryKey: keyOf(ref),
    queryFn: async ({ signal }) =>
      (await dataRequest<Connection>('GET', refPath(ref), { signal })).data,
    refetchInterval: HEALTH_MS,
  });

/** The tables of a connection, and what the page has read of them before. */
export interface TablesRead {
  readonly tables: readonly ConnectionTable[];
  readonly history: History;
}

export const tablesQuery = (ref: ConnectionRef): Query<TablesRead> => {
  const queryKey = [...keyOf(ref), 'tables'];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<TablesRead> => {
      const tables = await readTables(ref, signal);
      const before = queryClient.getQueryData<TablesRead>(queryKey);
      return { tables, history: appendReads(before?.history ?? new Map(), tables, Date.now()) };
    },
    refetchInterval: ({ state: { data } }) =>
      data && data.tables.length <= MAX_MOVING && data.tables.some(isMoving)
        ? MOVING_MS
        : HEALTH_MS,
  });
};

async function readTables(ref: ConnectionRef, signal: AbortSignal): Promise<ConnectionTable[]> {
  const tables: ConnectionTable[] = [];
  for (let page = 1; ; page += 1) {
    const options = { query: { page, limit: ALL }, signal };
    const path = `${refPath(ref)}/tables`;
    const { data, meta } = await dataRequest<readonly ConnectionTable[]>('GET', path, options);
    tables.push(...data);
    if (page >= (meta?.totalPages ?? 1)) return tables;
  }
}

/** Reads runs, newest first. */
export const useRuns = (ref: ConnectionRef): UseInfiniteQueryResult<readonly ConnectionRun[]> =>
  useLog([...keyOf(ref), 'runs'], `${refPath(ref)}/runs`);

/** Reloads the connections of a workspace with their tables and runs. */
export async function reloadConnections(workspaceId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['connections', workspaceId] });
}

/** Tests settings that are not saved. */
export async function testSettings(workspaceId: string, body: TestBody): Promise<TestResult> {
  const options = { body, timeoutMs: TEST_TIMEOUT_MS };
  return (await dataRequest<TestResult>('POST', `${pathOf(workspaceId)}/test`, options)).data;
}

export async function testConnection(ref: ConnectionRef): Promise<TestResult> {
  const options = { timeoutMs: TEST_TIMEOUT_MS };
  return (await dataRequest<TestResult>('POST', `${refPath(ref)}/test`, options)).data;
}

export async function createConnection(
  workspaceId: string,
  body: ConnectionBody,
  idempotencyKey: string,
): Promise<Connection> {
  const options = { body, idempotencyKey };
  return (await dataRequest<Connection>('POST', pathOf(workspaceId), options)).data;
}

export async function updateConnection(
  ref: ConnectionRef,
  body: Partial<ConnectionBody>,
): Promise<void> {
  await dataRequest<Connection>('PATCH', refPath(ref), { body });
}

export async function deleteConnection(ref: ConnectionRef): Promise<void> {
  await dataRequest('DELETE', refPath(ref));
  queryClient.removeQueries({ queryKey: keyOf(ref) });
  await reloadConnections(ref.workspaceId);
}

export async function updateTable(
  ref: ConnectionRef,
  datagridId: string,
  body: { readonly name?: string; readonly columns?: readonly string[] | null },
): Promise<void> {
  await dataRequest('PATCH', `${refPath(ref)}/tables/${datagridId}`, { body });
}

export async function requestTable(
  ref: ConnectionRef,
  datagridId: string,
  request: TableRequest,
): Promise<void> {
  await dataRequest('POST', `${refPath(ref)}/tables/${datagridId}/${request}`);
}
