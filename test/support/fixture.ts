import type { Role } from '../../src/common/permission/permission';
import { FileBody, type ApiResponse, type ApiClient } from './api-client';
import { FAKE_SETTINGS } from './fake-destination';
import type { Member, TestApp } from './test-app';

/** A valid id that does not exist. */
export const NO_ID = '019aa2f4-0000-7000-8000-000000000000';

export const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export type Team = Readonly<Record<Exclude<Role, 'member'>, Member>>;

/** URL whose host does not resolve, by RFC 6761. */
export const NOWHERE = 'https://receiver.invalid/hook';

let serial = 0;

/** Returns a name that is unique in this process. */
export function freshName(): string {
  return `Fixture ${String((serial += 1))}`;
}

/** Creates an account with a user of each role. */
export async function newTeam(app: TestApp): Promise<Team> {
  const owner = await app.newAccount();
  const [admin, editor, viewer] = await Promise.all([
    app.newUser(owner.accountId, 'admin'),
    app.newUser(owner.accountId, 'editor'),
    app.newUser(owner.accountId, 'viewer'),
  ]);
  return { owner, admin, editor, viewer };
}

/** Returns the `data` of a response, which must have this status. */
export function dataOf(response: ApiResponse, status: number): ApiResponse['body'] {
  expect({ status: response.status, text: response.text }).toEqual({
    status,
    text: expect.stringMatching(/^\{"data":/),
  });
  return response.body.data;
}

/** Creates a workspace and returns its id. */
export async function newWorkspace(api: ApiClient): Promise<string> {
  return dataOf(await api.post('/workspaces', { name: freshName() }), 201).id;
}

/** Creates a datagrid and returns its path. Creates a workspace for it unless one is given. */
export async function newDatagrid(
  api: ApiClient,
  columns: readonly object[],
  workspaceId?: string,
  name = freshName(),
): Promise<string> {
  const workspace = workspaceId ?? (await newWorkspace(api));
  const body = { name, columns };
  const created = await api.post(`/workspaces/${workspace}/datagrids`, body);
  return `/datagrids/${dataOf(created, 201).id}`;
}

/** Creates a view of a datagrid and returns its id. */
export async function newView(
  api: ApiClient,
  datagridPath: string,
  body: object = {},
): Promise<string> {
  return dataOf(await api.post(`${datagridPath}/views`, { name: freshName(), ...body }), 201).id;
}

/** Creates a view with a public link and returns the id of the view. */
export async function newSharedView(api: ApiClient, datagridPath: string): Promise<string> {
  const viewId = await newView(api, datagridPath);
  dataOf(await api.post(`${datagridPath}/views/${viewId}/link`, {}), 201);
  return viewId;
}

/** Creates an SQL query and returns its id. */
export async function newSqlQuery(
  api: ApiClient,
  workspaceId: string,
  body: object = {},
): Promise<string> {
  const query = { name: freshName(), sql: 'SELECT 1', ...body };
  return dataOf(await api.post(`/workspaces/${workspaceId}/sql/queries`, query), 201).id;
}

/** Creates a webhook whose URL leads nowhere and returns its id. */
export async function newWebhook(api: ApiClient, workspaceId: string): Promise<string> {
  const created = await api.post(`/workspaces/${workspaceId}/webhooks`, { url: NOWHERE });
  return dataOf(created, 201).id;
}

/** Creates a paused connection to a destination that does not exist and returns its id. */
export async function newConnection(api: ApiClient, workspaceId: string): Promise<string> {
  const settings = FAKE_SETTINGS;
  const body = { name: freshName(), type: 'postgresql', settings, enabled: false };
  return dataOf(await api.post(`/workspaces/${workspaceId}/connections`, body), 201).id;
}

/** Creates a scheduled import that never runs, because its connection is paused, and returns its id. */
export async function newScheduledImport(
  api: ApiClient,
  workspaceId: string,
  connectionId: string,
  { datagridId, key = 'u' }: { readonly datagridId: string; readonly key?: string },
): Promise<string> {
  const path = `/workspaces/${workspaceId}/connections/${connectionId}/imports`;
  const query = `SELECT 'x' AS ${key}`;
  const body = { name: freshName(), datagridId, query, keyColumns: [key] };
  return dataOf(await api.post(path, body), 201).id;
}

/** Starts an import of an empty file and returns its id. */
export async function newImport(api: ApiClient, datagridPath: string): Promise<string> {
  const nothing = new FileBody('application/x-ndjson', '');
  return dataOf(await api.post(`${datagridPath}/rows/import`, nothing), 201).id;
}
