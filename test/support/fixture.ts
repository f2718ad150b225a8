import type { Role } from '../../src/common/permission/role';
import { FileBody, type Answer, type ApiClient } from './api-client';
import type { Member, TestApp } from './test-app';

/** A well-formed id that names nothing. */
export const NO_ID = '019aa2f4-0000-7000-8000-000000000000';

export const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export type Team = Readonly<Record<Role, Member>>;

let serial = 0;

/** A name that no other fixture of this process has. */
export function freshName(): string {
  return `Fixture ${String((serial += 1))}`;
}

/** A new account with a user of each role. */
export async function newTeam(app: TestApp): Promise<Team> {
  const owner = await app.newAccount();
  const [admin, editor, viewer] = await Promise.all([
    app.newUser(owner.accountId, 'admin'),
    app.newUser(owner.accountId, 'editor'),
    app.newUser(owner.accountId, 'viewer'),
  ]);
  return { owner, admin, editor, viewer };
}

/** The `data` of an answer that must have this status. */
export function dataOf(answer: Answer, status: number): Answer['body'] {
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: expect.stringMatching(/^\{"data":/),
  });
  return answer.body.data;
}

/** Gives the new workspace's id. */
export async function newWorkspace(api: ApiClient): Promise<string> {
  return dataOf(await api.post('/workspaces', { name: freshName() }), 201).id;
}

/** Gives the new datagrid's path, in a workspace of its own unless one is given. */
export async function newDatagrid(
  api: ApiClient,
  columns: readonly object[],
  workspaceId?: string,
): Promise<string> {
  const workspace = workspaceId ?? (await newWorkspace(api));
  const body = { name: freshName(), columns };
  const created = await api.post(`/workspaces/${workspace}/datagrids`, body);
  return `/datagrids/${dataOf(created, 201).id}`;
}

/** Imports nothing, and gives the import's id. */
export async function newImport(api: ApiClient, datagridPath: string): Promise<string> {
  const nothing = new FileBody('application/x-ndjson', '');
  return dataOf(await api.post(`${datagridPath}/rows/import`, nothing), 201).id;
}
