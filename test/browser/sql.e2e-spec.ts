import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newSqlQuery, newWorkspace } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { statementEditor, writeStatement } from './statement-editor';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const CITIES = 'SELECT name, latitude FROM airports WHERE city IS NOT NULL ORDER BY name';

let signedIn: SignedIn;
let owner: Visitor;
let workspaceId: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
  owner = signedIn.visitor;
});

beforeEach(async () => {
  const { api } = signedIn;
  workspaceId = await newWorkspace(api);
  const columns = [
    { key: 'name', type: 'text' },
    { key: 'city', type: 'text' },
    { key: 'latitude', type: 'number' },
  ];
  const airports = await newDatagrid(api, columns, workspaceId, 'Airports');
  const rows = [
    { name: 'Thigpen', city: 'Bay Springs', latitude: 31.95376472 },
    { name: 'Livingston Municipal', city: 'Livingston', latitude: 30.68586111 },
    { name: 'Meadow Lake', latitude: 38.94574889 },
  ].map((values) => ({ values }));
  dataOf(await api.post(`${airports}/rows`, { rows }), 201);
});

afterAll(() => signedIn.leave());

const button = (name: string): Locator => owner.page.getByRole('button', { name, exact: true });
const editor = (): Locator => statementEditor(owner.page);
const write = (sql: string): Promise<void> => writeStatement(owner.page, sql);
const cell = (name: string): Locator => owner.page.getByRole('gridcell', { name, exact: true });

const queries = (): string => `/workspaces/${workspaceId}/sql/queries`;

async function open(query?: string): Promise<void> {
  const search = query === undefined ? '' : `?query=${query}`;
  await owner.open(`/workspaces/${workspaceId}/sql${search}`);
  await editor().waitFor();
}

async function run(sql: string): Promise<void> {
  await write(sql);
  await owner.page.keyboard.press('Control+Enter');
}

describe('the SQL page', () => {
  it('is found in the navigation, and runs a statement over the datagrids of the workspace', async () => {
    await owner.open(`/workspaces/${workspaceId}`);
    await owner.page.getByRole('link', { name: 'SQL', exact: true }).click();
    await editor().waitFor();
    await run(CITIES);
    await cell('Livingston Municipal').waitFor();
    await owner.sees(/^2 rows in/);
    await cell('31.95376472').waitFor();
  });

  it('completes the names of tables and of their columns', async () => {
    await open();
    await write('SELECT air');
    await editor().press('Control+Space');
    await owner.page.getByRole('option', { name: 'airports' }).waitFor();
    await write('SELECT airports.');
    await editor().press('End');
    await editor().press('Control+Space');
    await owner.page.getByRole('option', { name: 'latitude' }).waitFor();
    await owner.page.getByRole('option', { name: '_updatedAt' }).waitFor();
  });

  it('shows what DuckDB says about an invalid statement, and keeps the statement', async () => {
    await open();
    await run('SELECT nothing FROM airports');
    const alert = owner.page.getByRole('alert');
    await alert.getByText(/"nothing" not found/).waitFor();
    expect(await editor().textContent()).toBe('SELECT nothing FROM airports');
  });

  it('draws a chart, and says when there is nothing to draw', async () => {
    await open();
    await run(CITIES);
    await owner.page.getByText('Chart', { exact: true }).click();
    await owner.page.locator('.recharts-bar-rectangle').nth(1).waitFor();
    await owner.page.getByText('Lines', { exact: true }).click();
    await owner.page.locator('.recharts-line').waitFor();
    await run('SELECT name FROM airports');
    await owner.sees(/^A chart needs a column of numbers/);
  });

  it('sorts the rows that are shown', async () => {
    await open();
    await run(CITIES);
    const names = owner.page.locator('[role="gridcell"][col-id="name"]');
    await eventually(
      async () => (await names.allInnerTexts()).join() === 'Livingston Municipal,Thigpen',
    );
    const header = owner.page.getByRole('columnheader', { name: 'name' });
    await header.click();
    await header.click();
    await eventually(
      async () => (await names.allInnerTexts()).join() === 'Thigpen,Livingston Municipal',
    );
  });

  it('copies and downloads the result as CSV', async () => {
    await open();
    await run(CITIES);
    await button('Copy as CSV').click();
    const csv = 'name,latitude\nLivingston Municipal,30.68586111\nThigpen,31.95376472\n';
    await eventually(
      async () => (await owner.page.evaluate<string>('navigator.clipboard.readText()')) === csv,
    );
    await button('Download').click();
    const [download] = await Promise.all([
      owner.page.waitForEvent('download'),
      owner.page.getByRole('menuitem', { name: 'All rows as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Result.csv');
    const parts: Buffer[] = [];
    for await (const part of await download.createReadStream()) parts.push(part as Buffer);
    expect(Buffer.concat(parts).toString()).toBe(csv);
  });

  it('downloads the result as Parquet', async () => {
    await open();
    await run(CITIES);
    await button('Download').click();
    const [download] = await Promise.all([
      owner.page.waitForEvent('download'),
      owner.page.getByRole('menuitem', { name: 'All rows as Parquet' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Result.parquet');
    const parts: Buffer[] = [];
    for await (const part of await download.createReadStream()) parts.push(part as Buffer);
    const file = Buffer.concat(parts).toString('latin1');
    expect([file.slice(0, 4), file.slice(-4)]).toEqual(['PAR1', 'PAR1']);
  });
});

describe('a saved query', () => {
  it('is saved for all users, opened by its URL, renamed and deleted', async () => {
    await open();
    await run(CITIES);
    await button('Save as…').click();
    const dialog = owner.page.getByRole('dialog', { name: 'Save the statement' });
    await dialog.getByLabel('Name').fill('Cities');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const [saved] = dataOf(await signedIn.api.get(queries()), 200) as { id: string; sql: string }[];
    expect(saved?.sql).toBe(CITIES);
    expect(new URL(owner.page.url()).searchParams.get('query')).toBe(saved?.id);

    const viewer = await signedIn.colleague('viewer');
    await viewer.open(`/workspaces/${workspaceId}/sql?query=${saved?.id ?? ''}`);
    await viewer.page.getByRole('button', { name: 'Run', exact: true }).click();
    await viewer.page.getByRole('gridcell', { name: 'Thigpen' }).waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Save as…' }).count()).toBe(0);
    await viewer.leave();

    await button('Actions for this query').click();
    await owner.page.getByRole('menuitem', { name: 'Rename' }).click();
    const rename = owner.page.getByRole('dialog', { name: /^Rename/ });
    await rename.getByLabel('Name').fill('Towns');
    await rename.getByRole('button', { name: 'Save' }).click();
    await rename.waitFor({ state: 'hidden' });
    await eventually(
      async () => (await owner.page.getByLabel('Saved queries').first().inputValue()) === 'Towns',
    );
    await button('Actions for this query').click();
    await owner.page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = owner.page.getByRole('dialog', { name: /^Delete/ });
    await question.getByRole('button', { name: 'Delete' }).click();
    await question.waitFor({ state: 'hidden' });
    expect((await signedIn.api.get(queries())).body.data).toEqual([]);
    expect(new URL(owner.page.url()).search).toBe('');
  });

  it('keeps what is typed and not saved, over a reload and over another query', async () => {
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => newSqlQuery(signedIn.api, workspaceId, { name })),
    );
    await open(first);
    await write('SELECT 11');
    await owner.sees('Unsaved changes');
    await open(second);
    expect(await editor().textContent()).toBe('SELECT 1');
    await open(first);
    expect(await editor().textContent()).toBe('SELECT 11');
    await button('Actions for this query').click();
    await owner.page.getByRole('menuitem', { name: 'Discard changes' }).click();
    await eventually(async () => (await editor().textContent()) === 'SELECT 1');
  });

  it('keeps what is undone while it is being saved', async () => {
    const id = await newSqlQuery(signedIn.api, workspaceId, { name: 'Slow' });
    await open(id);
    await write('SELECT 2');
    const release = await owner.hold('**/sql/queries/*');
    await button('Save').click();
    await editor().press('Control+z');
    await eventually(async () => (await editor().textContent()) === 'SELECT 1');
    await release();
    await eventually(async () => {
      const stored = dataOf(await signedIn.api.get(`${queries()}/${id}`), 200) as { sql: string };
      return stored.sql === 'SELECT 2';
    });
    await owner.sees('Unsaved changes');
    expect(await editor().textContent()).toBe('SELECT 1');
    await button('Run').click();
    await owner.page.getByRole('columnheader', { name: '1' }).waitFor();
  });

  it('is not overwritten if somebody else has changed it', async () => {
    const id = await newSqlQuery(signedIn.api, workspaceId, { name: 'Shared' });
    const path = `/workspaces/${workspaceId}/sql/queries/${id}`;
    await open(id);
    await write('SELECT 2');
    dataOf(await signedIn.api.patch(path, { sql: 'SELECT 3' }), 200);
    await button('Save').click();
    await owner.sees(/^Somebody else has changed this query/);
    expect(dataOf(await signedIn.api.get(path), 200)).toMatchObject({ sql: 'SELECT 3' });
    expect(await editor().textContent()).toBe('SELECT 2');
    await button('Actions for this query').click();
    await owner.page.getByRole('menuitem', { name: 'Discard changes' }).click();
    await eventually(async () => (await editor().textContent()) === 'SELECT 3');
    await write('SELECT 4');
    await button('Save').click();
    await owner.page.getByText('Unsaved changes').waitFor({ state: 'hidden' });
    expect(dataOf(await signedIn.api.get(path), 200)).toMatchObject({ sql: 'SELECT 4' });
  });
});
