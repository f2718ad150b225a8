import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { inFile } from '../connections/duckdb-files';
import type { ApiClient, Json } from '../support/api-client';
import { dataOf } from '../support/fixture';
import { TestApp } from '../support/test-app';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let app: TestApp;
let signedIn: SignedIn;
let owner: Visitor;
let files: string;
let api: ApiClient;
let workspaceId: string;
let datagridId: string;
let connections: string;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'datagrid-imports-'));
  // A service of its own, which has a directory for files.
  app = await TestApp.start({ settings: { CONNECTION_FILES_DIR: files } });
  signedIn = await SignedIn.arrive({ app });
  ({ api, visitor: owner } = signedIn);
});

beforeEach(async () => {
  workspaceId = idOf(await api.post('/workspaces', { name: `Warehouse ${randomUUID()}` }));
  connections = `/workspaces/${workspaceId}/connections`;
  const columns = [
    { key: 'code', type: 'text', unique: true },
    { key: 'flights', type: 'integer' },
  ];
  const body = { name: 'Airports', columns };
  datagridId = idOf(await api.post(`/workspaces/${workspaceId}/datagrids`, body));
});

afterAll(async () => {
  await signedIn.leave();
  await app.close();
  await rm(files, { recursive: true, force: true });
});

const idOf = (response: Awaited<ReturnType<ApiClient['post']>>): string =>
  (dataOf(response, 201) as { id: string }).id;

const button = (name: string): Locator => owner.page.getByRole('button', { name, exact: true });
const dialog = (name: string | RegExp): Locator => owner.page.getByRole('dialog', { name });
const step = (name: string): Locator => owner.page.getByRole('region', { name, exact: true });
const imports = (): Locator => owner.page.getByRole('region', { name: 'Scheduled imports' });

/** Runs a statement in the file of a connection. */
async function inSource(file: string, statement: string): Promise<void> {
  const { data } = (await api.get('/me')).body as { data: { account: { id: string } } };
  await mkdir(join(files, data.account.id), { recursive: true });
  const path = join(files, data.account.id, `${file}.duckdb`);
  await inFile(path, async (connection) => {
    await connection.run(statement);
  });
}

/** Creates a file with a table of airports, and a connection that only reads it. */
async function newSource(): Promise<{ readonly file: string; readonly path: string }> {
  const file = randomUUID();
  const body = { name: 'Lake', type: 'duckdb', settings: { file }, datagridIds: [] };
  const connection = idOf(await api.post(connections, body));
  const rows = "(VALUES ('JFK', 3), ('BER', 2))";
  await inSource(file, `CREATE TABLE airports AS FROM ${rows} AS t(code, flights)`);
  return { file, path: `${connections}/${connection}` };
}

async function rowsOf(): Promise<Json[]> {
  const rows = dataOf(await api.get(`/datagrids/${datagridId}/rows`), 200) as Json[];
  return rows.map(({ values }) => values);
}

async function choose(field: Locator, option: string): Promise<void> {
  await field.click();
  await owner.page.getByRole('option', { name: option, exact: true }).click();
}

/** What a preview, a form that is saved, and a run say of a column too many. */
const TOO_MANY =
  'The datagrid has no column for column "gates" of the result. Add it, rename it in the query or in `columns`, or leave it out.';

describe('the scheduled imports of a connection', () => {
  it('are created with a preview, run at once and on demand, and say what they did', async () => {
    const { file, path } = await newSource();
    await owner.open(path);
    await owner.page.getByRole('heading', { level: 1, name: 'Lake' }).waitFor();
    await owner.sees('None, only scheduled imports');
    await imports().getByText('A scheduled import reads a query').waitFor();
    await button('New scheduled import').click();
    const form = dialog('New scheduled import');
    await form.getByLabel('Minutes from a run to the next').fill('0');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Choose a datagrid.').waitFor();
    await form.getByText('Choose at least one column.').waitFor();
    await form.getByText('Must be a number of minutes').waitFor();
    await form.getByLabel('Minutes from a run to the next').fill('60');
    await form.getByLabel('Name').fill('Traffic');
    const query = form.getByRole('textbox', { name: 'Query' });
    await query.fill('SELECT code, flights, 1 AS gates FROM nowhere');
    await form.getByRole('button', { name: 'Preview' }).click();
    await form.getByText('The query cannot be imported').waitFor();
    await form.getByText('nowhere').last().waitFor();
    await query.fill('SELECT code, flights FROM airports ORDER BY code DESC');
    await form.getByRole('button', { name: 'Preview' }).click();
    const rows = form.getByRole('group', { name: 'First rows' });
    await rows.getByText('integer').waitFor();
    expect(await rows.getByRole('cell').allTextContents()).toEqual(['JFK', '3', 'BER', '2']);
    await choose(form.getByPlaceholder('Choose a datagrid'), 'Airports');
    await choose(form.getByPlaceholder('Choose columns'), 'code');
    await owner.page.keyboard.press('Escape');
    await form.getByLabel('Are deleted').click();
    // A column too many is said before the import is created, by the rule of a run.
    await query.fill('SELECT code, flights, 1 AS gates FROM airports');
    await form.getByRole('button', { name: 'Preview' }).click();
    await form.getByText(TOO_MANY).waitFor();
    await form.getByRole('columnheader', { name: 'gates integer, no column' }).waitFor();
    await query.fill('SELECT code, flights, 2 AS gates FROM airports');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByRole('button', { name: 'Save anyway' }).waitFor();
    await form.getByText(TOO_MANY).waitFor();
    await query.fill('SELECT code, flights FROM airports ORDER BY code DESC');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.waitFor({ state: 'hidden' });
    await imports().getByText('Traffic').waitFor();
    await imports().getByText('2 rows: 2 created').waitFor();
    await imports().getByText('Active').waitFor();
    expect(await violationsOn(owner.page)).toEqual([]);
    expect(await rowsOf()).toEqual([
      { code: 'JFK', flights: 3 },
      { code: 'BER', flights: 2 },
    ]);
    await inSource(file, "DELETE FROM airports WHERE code = 'BER'");
    await button('Run now: Traffic').click();
    await imports().getByText('1 row: 1 unchanged, 1 deleted').waitFor();
    expect([...owner.errors, ...owner.foreignRequests]).toEqual([]);
  });

  it('are edited, paused, resumed and deleted, and say what is wrong', async () => {
    const { path } = await newSource();
    const body = { name: 'Traffic', datagridId, keyColumns: ['code'], table: 'airports' };
    dataOf(await api.post(`${path}/imports`, body), 201);
    await owner.open(path);
    await imports().getByText('Runs on demand').waitFor();
    await button('Actions for the import Traffic').click();
    await owner.page.getByRole('menuitem', { name: 'Edit' }).click();
    const form = dialog(/^Edit/);
    await form.getByRole('textbox', { name: 'Table' }).fill('no table');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Must be null, or a name of letters').waitFor();
    await form.getByLabel('The result of a query').click();
    const query = form.getByRole('textbox', { name: 'Query' });
    await query.fill('SELECT code, flights, 1 AS gates FROM airports');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(TOO_MANY).waitFor();
    await form.getByRole('button', { name: 'Save anyway' }).click();
    await form.waitFor({ state: 'hidden' });
    await button('Run now: Traffic').click();
    await imports().getByText(TOO_MANY).waitFor();
    await imports().getByText('Failing').waitFor();
    expect(await rowsOf()).toEqual([]);
    await button('Actions for the import Traffic').click();
    await owner.page.getByRole('menuitem', { name: 'Pause' }).click();
    await imports().getByText('Paused').waitFor();
    expect(await button('Run now: Traffic').isDisabled()).toBe(true);
    await button('Actions for the import Traffic').click();
    await owner.page.getByRole('menuitem', { name: 'Resume' }).click();
    await imports().getByText('Paused').waitFor({ state: 'hidden' });
    await button('Actions for the import Traffic').click();
    await owner.page.getByRole('menuitem', { name: 'Delete' }).click();
    const confirm = dialog(/^Delete/);
    await confirm.getByText('The rows that it has written stay.').waitFor();
    await confirm.getByRole('button', { name: 'Delete the import' }).click();
    await imports().getByText('A scheduled import reads a query').waitFor();
    expect(dataOf(await api.get(`${path}/imports`), 200)).toEqual([]);
  });

  it('can be all that a connection is for, which the wizard offers', async () => {
    await owner.open(`${connections}/new`);
    await owner.page.getByLabel('DuckDB file').click();
    await button('Next').click();
    await step('Settings').getByLabel('Name of the file').fill(randomUUID());
    await button('Test').click();
    await button('Next').click();
    await step('Datagrids').getByLabel('None, only scheduled imports').click();
    await button('Next').click();
    await step('Review').getByText('No datagrid is copied.').waitFor();
    await button('Start the connection').click();
    await imports().waitFor();
    const [connection] = dataOf(await api.get(connections), 200) as [Json];
    expect(connection).toMatchObject({ datagridIds: [], tables: 0 });
  });
});
