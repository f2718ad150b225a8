import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
/** Path of a datagrid with four rows. */
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, [{ key: 'sku', title: 'Sku', type: 'text', unique: true }]);
  const rows = ['a', 'b', 'c', 'd'].map((sku) => ({ values: { sku } }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  await signedIn.cell(4, 'sku').getByText('d').waitFor();
});

const dialog = (): Locator => visitor.page.getByRole('dialog');
const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

/** Waits until the datagrid has rows with these values. */
async function become(...expected: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const rows = dataOf(await api.get(`${path}/rows`), 200) as { values: { sku: string } }[];
      const values = rows.map(({ values: { sku } }) => sku);
      return JSON.stringify(values) === JSON.stringify(expected);
    },
    20_000,
    100,
  );
}

async function deleteSecondAndThird(): Promise<void> {
  for (const index of ['1', '2']) {
    await visitor.page.locator(`[row-index="${index}"] input[type=checkbox]`).first().check();
  }
  await button('Delete 2 rows').click();
  await dialog().getByText('You can restore them for some days.').waitFor();
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await become('a', 'd');
}

async function openTrash(): Promise<void> {
  await button('More actions for this datagrid').click();
  await visitor.page.getByRole('menuitem', { name: 'Deleted rows' }).click();
  await dialog().getByRole('table', { name: 'Deleted rows' }).waitFor();
}

describe('deleted rows', () => {
  it('come back with the button Undo of the message', async () => {
    await deleteSecondAndThird();
    await button('Undo').click();
    await become('a', 'b', 'c', 'd');
    await signedIn.cell(3, 'sku').getByText('c').waitFor();
    await visitor.sees('2 rows are restored.');
  });

  it('leave the focus to the row in their place, or to the last row', async () => {
    const focused = (row: number): Promise<void> =>
      visitor.page
        .locator(`[row-index="${String(row - 1)}"] [col-id="sku"]:focus`)
        .waitFor({ state: 'attached' });
    await deleteSecondAndThird();
    await signedIn.cell(2, 'sku').getByText('d').waitFor();
    await focused(2);
    // The focus is still there once the rows have been loaded again.
    await visitor.page.keyboard.press('ArrowUp');
    await focused(1);
    await visitor.page.locator('[row-index="1"] input[type=checkbox]').first().check();
    await button('Delete row').click();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await become('a');
    await focused(1);
    await visitor.page.locator('[row-index="0"] input[type=checkbox]').first().check();
    await button('Delete row').click();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await become();
    await visitor.page.locator('.ag-header-cell[col-id="sku"]:focus').waitFor();
  });

  it('come back with Ctrl+Z anywhere on the page, and are deleted again with Ctrl+Y', async () => {
    await deleteSecondAndThird();
    await dialog().waitFor({ state: 'hidden' });
    await visitor.page.keyboard.press('Control+z');
    await become('a', 'b', 'c', 'd');
    await signedIn.cell(2, 'sku').getByText('b').waitFor();
    await visitor.sees('2 rows are restored.');
    await signedIn.cell(1, 'sku').click();
    await visitor.page.keyboard.press('Control+y');
    await become('a', 'd');
    await visitor.page.keyboard.press('Control+z');
    await become('a', 'b', 'c', 'd');
  });

  it('stay deleted, and the message names the reason, if a unique value is taken meanwhile', async () => {
    await deleteSecondAndThird();
    dataOf(await api.post(`${path}/rows`, { values: { sku: 'c' } }), 201);
    await button('Undo').click();
    await visitor.sees('Row 3, sku: must be unique, but row 5 already has this value.');
    await become('a', 'd', 'c');
  });

  it('are listed with who deleted them, and checked ones are restored', async () => {
    await deleteSecondAndThird();
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    await openTrash();
    const lines = await dialog().getByRole('row').allInnerTexts();
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/1\s+a\s.*You, with (an API key|the key)/s);
    expect(lines[2]).toMatch(/3\s+c\s.*You/s);
    expect(await dialog().getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true);
    await dialog().getByRole('checkbox', { name: 'Row with id 3' }).check();
    await dialog().getByRole('checkbox', { name: 'Row with id 1' }).check();
    await dialog().getByRole('button', { name: 'Restore 2 rows' }).click();
    await dialog().getByText('2 rows are restored.').waitFor();
    await become('a', 'c', 'd');
    await dialog().getByRole('checkbox', { name: 'All listed rows' }).check();
    await dialog().getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog().getByText('There are no deleted rows.').waitFor();
    await become('a', 'b', 'c', 'd');
  });
});
