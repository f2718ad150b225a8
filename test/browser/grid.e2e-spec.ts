import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const MANY = 1_000_000;
const COLUMNS = [
  { key: 'n', type: 'integer' },
  { key: 'note', type: 'text' },
];

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;

/** Inserts rows with `n` from 1 to `rows`. Uses SQL, because inserting is not what is tested. */
async function fill(datagridId: string, rows: number): Promise<void> {
  const { sql } = signedIn.app;
  await sql.query(
    `INSERT INTO rows SELECT $1, n, jsonb_build_object('n', n, 'note', 'Row ' || n), 1, now(), now()
     FROM generate_series(1, $2::bigint) AS n`,
    [datagridId, rows],
  );
  await sql.query(
    `UPDATE datagrid_counters SET row_count = $2, last_row_id = $2, revision = 1
     WHERE datagrid_id = $1`,
    [datagridId, rows],
  );
}

const idOf = (path: string): string => path.split('/').at(-1) ?? '';

const cell = (number: number, column: string): Locator => signedIn.cell(number, column);

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ api, visitor } = signedIn);
});

afterAll(() => signedIn.leave());

describe('the grid', () => {
  it('goes to the last of 1,000,000 rows and back to the middle', async () => {
    const path = await newDatagrid(api, COLUMNS);
    await fill(idOf(path), MANY);
    await visitor.open(`/datagrids/${idOf(path)}`);
    await cell(1, 'note').getByText('Row 1', { exact: true }).waitFor();
    await visitor.sees('1,000,000 rows');
    await visitor.page.getByLabel('Go to row').fill(String(MANY));
    await visitor.page.getByRole('button', { name: 'Go', exact: true }).click();
    await cell(MANY, 'note')
      .getByText(`Row ${String(MANY)}`, { exact: true })
      .waitFor();
    expect(await cell(MANY, 'n').textContent()).toBe(MANY.toLocaleString('en'));
    await visitor.page.getByLabel('Go to row').fill('500000');
    await visitor.page.getByRole('button', { name: 'Go', exact: true }).click();
    await cell(500_000, 'note').getByText('Row 500000', { exact: true }).waitFor();
  });

  it('edits a cell in place', async () => {
    const path = await newDatagrid(api, COLUMNS);
    dataOf(await api.post(`${path}/rows`, { values: { n: 1, note: 'before' } }), 201);
    await visitor.open(`/datagrids/${idOf(path)}`);
    await cell(1, 'note').getByText('before').waitFor();
    await typeInto(1, 'note', 'after');
    await eventually(async () => (await noteOf(path)) === 'after' || undefined);
  });

  it('shows that somebody else changed the row, and loses neither change', async () => {
    const path = await newDatagrid(api, COLUMNS);
    dataOf(await api.post(`${path}/rows`, { values: { n: 1, note: 'before' } }), 201);
    await visitor.open(`/datagrids/${idOf(path)}`);
    await cell(1, 'note').getByText('before').waitFor();
    await openEditor(1, 'note');
    dataOf(await api.patch(`${path}/rows/1`, { values: { n: 2, note: 'theirs' } }), 200);
    await typeText('mine');
    const dialog = visitor.page.getByRole('dialog');
    await dialog.getByText('Somebody else changed the row with id 1 in the meantime').waitFor();
    await dialog.getByRole('cell', { name: 'theirs' }).waitFor();
    await dialog.getByRole('cell', { name: 'mine' }).waitFor();
    expect(dataOf(await api.get(`${path}/rows/1`), 200).values).toEqual({ n: 2, note: 'theirs' });
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await eventually(async () => (await noteOf(path)) === 'mine' || undefined);
    expect(dataOf(await api.get(`${path}/rows/1`), 200).values).toEqual({ n: 2, note: 'mine' });
  });

  it('names a row by its id in dialogs, which the grid shows beside the row number', async () => {
    const path = await newDatagrid(api, COLUMNS);
    const rows = [1, 2, 3].map((n) => ({ values: { n, note: 'before' } }));
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    await visitor.open(`/datagrids/${idOf(path)}`);
    await cell(1, 'note').getByText('before').waitFor();
    const row = visitor.page.locator('[row-index="0"]');
    expect(await row.locator('.row-number').allTextContents()).toEqual(['1', '2']);
    const headers = await visitor.page.getByRole('columnheader').allTextContents();
    const titles = headers.map((header) => header.trim());
    expect([titles[1], titles.at(-1)]).toEqual(['Row', expect.stringMatching(/^Id/)]);
    await openEditor(1, 'note');
    dataOf(await api.patch(`${path}/rows/2`, { values: { note: 'theirs' } }), 200);
    await typeText('mine');
    const dialog = visitor.page.getByRole('dialog');
    await dialog.getByText('Somebody else changed the row with id 2 in the meantime').waitFor();
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  it('imports a CSV file and lists the rejected lines', async () => {
    const path = await newDatagrid(api, COLUMNS);
    await visitor.open(`/datagrids/${idOf(path)}`);
    await visitor.page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Import a file' }).click();
    const lines = ['n,note', '1,one', 'two,zwei', '3,"three, quoted"'];
    await visitor.page.locator('input[type=file]').setInputFiles({
      name: 'rows.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`${lines.join('\n')}\n`),
    });
    await visitor.page.getByRole('button', { name: 'Import 2 rows' }).click();
    await visitor.sees('Imported with errors: 1 of 3 rows rejected');
    await visitor.sees('Rows: 3 read, 2 created, 1 rejected.');
    const rejected = visitor.page.getByRole('group', { name: 'Rejected lines' }).getByRole('row');
    expect(await rejected.nth(1).getByRole('cell').first().textContent()).toBe('3');
    await visitor.page.getByRole('button', { name: 'Close', exact: true }).click();
    await cell(2, 'note').getByText('three, quoted').waitFor();
  });

  it('has no script errors or blocked scripts, and calls no other origin', () => {
    expect(visitor.errors).toEqual([]);
    expect(visitor.foreignRequests).toEqual([]);
  });
});

async function noteOf(path: string): Promise<unknown> {
  return (dataOf(await api.get(`${path}/rows/1`), 200) as { values: { note: unknown } }).values
    .note;
}

/** Replaces the text of a displayed cell. */
async function typeInto(row: number, column: string, text: string): Promise<void> {
  await openEditor(row, column);
  await typeText(text);
}

async function openEditor(row: number, column: string): Promise<void> {
  await cell(row, column).dblclick();
  await visitor.page.locator('.value-editor:focus').waitFor();
}

async function typeText(text: string): Promise<void> {
  const { page } = visitor;
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}
