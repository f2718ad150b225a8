import { isDeepStrictEqual } from 'node:util';
import type { ParameterObject, RequestBodyObject } from '@nestjs/swagger';
import { API, FileBody } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import {
  dataOf,
  newDatagrid,
  freshName,
  newConnection,
  newImport,
  newScheduledImport,
  newSharedView,
  newSqlQuery,
  newWebhook,
  newWorkspace,
} from '../../support/fixture';
import { examplesOf, OPERATIONS, resolved } from '../../support/openapi-file';
import type { Member } from '../../support/test-app';
import { SlowImport } from '../import/sending';

export type Operation = (typeof OPERATIONS)[number];

/** A call built from the examples of an operation. */
export interface Shown {
  /** The name of the example, for the title of the test. */
  readonly what: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Headers and parameters that are not sent: their examples name versions, views and links that do not exist. */
const CONDITIONS = new Set(['If-Match', 'If-None-Match', 'view', 'expand', 'linkKeys']);

/** Parameters that are valid only together with another one. */
const TOGETHER: Readonly<Record<string, string>> = { mode: 'matchOn', matchOn: 'mode' };

/**
 * Returns a call for each example of the body and each parameter, and one with all parameters. Equal calls
 * are returned once.
 */
export function shownCalls({ spec }: Operation): Shown[] {
  const bodies: unknown[] = bodiesOf(spec.requestBody);
  const [body] = bodies;
  const parameters = (spec.parameters ?? [])
    .map((parameter) => resolved<ParameterObject>(parameter))
    .filter((parameter) => parameter.in !== 'path' && !CONDITIONS.has(parameter.name));
  const ofFile = (value: unknown): [ParameterObject, unknown][] =>
    parameters.flatMap((parameter) =>
      value instanceof FileBody &&
      value.type === 'application/octet-stream' &&
      parameter.name === 'format'
        ? [[parameter, examplesOf(parameter)[0]]]
        : [],
    );
  const each = parameters.flatMap((parameter) =>
    examplesOf(parameter).map((value) => {
      const others = parameters.filter(({ name }) => TOGETHER[parameter.name] === name);
      const together = others.map((other) => [other, other.example] as const);
      const what = `${parameter.name}: ${String(value)}`;
      return { what, ...partsOf([[parameter, value], ...together]), body };
    }),
  );
  const filledIn = parameters.flatMap((parameter): [ParameterObject, unknown][] =>
    parameter.example === undefined ? [] : [[parameter, parameter.example]],
  );
  const calls = [
    ...bodies.map((value, index) => ({
      what: `body ${String(index + 1)}`,
      ...partsOf(ofFile(value)),
      body: value,
    })),
    ...each,
    { what: 'all parameters', ...partsOf(filledIn), body },
  ];
  const isSame = (one: Shown, other: Shown): boolean =>
    isDeepStrictEqual({ ...one, what: '' }, { ...other, what: '' });
  return calls.filter(
    (call, index) => !calls.slice(index + 1).some((later) => isSame(call, later)),
  );
}

function bodiesOf(requestBody: Operation['spec']['requestBody']): unknown[] {
  if (!requestBody) return [];
  const { content } = resolved<RequestBodyObject>(requestBody);
  const json = content['application/json'];
  if (json) return examplesOf(json);
  return Object.entries(content).map(([type, { example }]) => new FileBody(type, String(example)));
}

function partsOf(
  values: readonly (readonly [ParameterObject, unknown])[],
): Pick<Shown, 'query' | 'headers'> {
  const of = (place: string): Record<string, string> =>
    Object.fromEntries(
      values
        .filter(([parameter]) => parameter.in === place)
        .map(([{ name }, value]) => [name, String(value)]),
    );
  return { query: of('query'), headers: of('header') };
}

const deleteColumn = ({ api }: Member, { datagridId, key }: Ids): Promise<unknown> =>
  api.delete(`/datagrids/${datagridId}/columns/${key}`);

const deleteFirstRow = ({ api }: Member, { datagridId }: Ids): Promise<unknown> =>
  api.delete(`/datagrids/${datagridId}/rows/1`);

/** Steps that must precede an operation's examples for them to succeed. */
const PREPARATIONS: Readonly<
  Record<string, (owner: Member, ids: Ids, port: number) => Promise<unknown>>
> = {
  addColumn: deleteColumn,
  restoreDeletedColumn: deleteColumn,
  runSql: ({ api }, { workspaceId }) =>
    newDatagrid(api, [{ key: 'state', type: 'text' }], workspaceId, 'Airports'),
  restoreDeletedRows: deleteFirstRow,
  deleteWorkspace: ({ api }, { datagridId }) => api.delete(`/datagrids/${datagridId}`),
  cancelImport: async (owner, ids, port) => {
    const grid = `/datagrids/${ids.datagridId}`;
    SlowImport.start({ port }, owner, grid).write('\n');
    ids.importId = await eventually(async () => {
      const [last] = (await owner.api.get(`${grid}/imports`)).body.data;
      return last.state === 'running' && last.id;
    });
  },
};

export type Ids = Record<
  | 'workspaceId'
  | 'datagridId'
  | 'itemId'
  | 'key'
  | 'rowId'
  | 'importId'
  | 'viewId'
  | 'queryId'
  | 'webhookId'
  | 'connectionId'
  | 'scheduledImportId',
  string
>;

/**
 * Returns the body of an example. A replay begins now, because it can begin some days ago at most. A
 * scheduled import names a datagrid that exists.
 */
export function bodyOf({ spec }: Operation, { body }: Shown, { datagridId }: Ids): unknown {
  if (spec.operationId?.endsWith('ScheduledImport') === true && body !== undefined) {
    return { ...(body as object), datagridId };
  }
  if (spec.operationId !== 'replayWebhook') return body;
  return { ...(body as object), since: new Date().toISOString() };
}

/**
 * Creates what the examples refer to: a workspace with the datagrid of `createDatagrid` and rows
 * 1 to 9. If the paths name them, it also creates a finished import, a view, a webhook, a connection with a
 * scheduled import, and a datagrid in the trash.
 */
export async function newExampleIds(owner: Member, ...paths: readonly string[]): Promise<Ids> {
  const { api } = owner;
  const createIf = async (name: string, create: () => Promise<string>): Promise<string> =>
    paths.some((path) => path.includes(name)) ? create() : '';
  const workspaceId = await newWorkspace(api);
  const datagridId = await newExampleGrid(owner, workspaceId);
  const rows = Array.from({ length: 9 }, (_, n) => ({ values: { iata: `X${String(n)}` } }));
  dataOf(await api.post(`/datagrids/${datagridId}/rows`, { rows }), 201);
  const itemId = await createIf('trash', async () => {
    const id = await newExampleGrid(owner, workspaceId);
    await api.delete(`/datagrids/${id}`);
    return id;
  });
  const importId = await createIf('import', () => newImport(api, `/datagrids/${datagridId}`));
  const viewId = await createIf('{viewId}', () => newSharedView(api, `/datagrids/${datagridId}`));
  const queryId = await createIf('{queryId}', () => newSqlQuery(api, workspaceId));
  const webhookId = await createIf('webhook', () => newWebhook(api, workspaceId));
  const connectionId = await createIf('connection', () => newConnection(api, workspaceId));
  const scheduledImportId = await createIf('/connections/{connectionId}/imports', () =>
    newScheduledImport(api, workspaceId, connectionId, { datagridId, key: 'iata' }),
  );
  const parents = { workspaceId, datagridId, itemId, webhookId, connectionId, scheduledImportId };
  return { ...parents, key: 'size', rowId: '1', importId, viewId, queryId };
}

/** Takes the steps that must precede an operation's examples for them to succeed. */
export async function prepare(
  owner: Member,
  { spec }: Operation,
  ids: Ids,
  port: number,
): Promise<void> {
  await PREPARATIONS[spec.operationId ?? '']?.(owner, ids, port);
}

/** Returns the operation's path with these ids, relative to the API's base path. */
export const pathOf = ({ path }: Operation, ids: Ids): string =>
  path.slice(API.length).replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name as keyof Ids]);

/** Creates a datagrid by the example of `createDatagrid`, with another name. */
async function newExampleGrid({ api }: Member, workspaceId: string): Promise<string> {
  const create = OPERATIONS.find((operation) => operation.spec.operationId === 'createDatagrid');
  const [grid] = bodiesOf(create?.spec.requestBody) as object[];
  const body = { ...grid, name: freshName() };
  return dataOf(await api.post(`/workspaces/${workspaceId}/datagrids`, body), 201).id;
}
