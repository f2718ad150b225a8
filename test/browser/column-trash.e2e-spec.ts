import type { Locator } from 'playwright-core';
import type { ApiClient, Json } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
/** Path of a datagrid with two rows. */
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, [
    { key: 'sku', title: 'Sku', type: 'text', required: true },
    { key: 'size', title: 'Size', type: 'integer' },
  ]);
  const rows = [1, 2].map((size) => ({ values: { sku: `s${String(size)}`, size } }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  await signedIn.cell(2, 'sku').getByText('s2').waitFor();
});

const dialog = (): Locator => visitor.page.getByRole('dialog');
const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

/** Waits until the datagrid has columns with these keys. */
async function become(...expected: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const { columns } = dataOf(await api.get(path), 200) as { columns: Json[] };
      return columns.map(({ key }) => String(key)).join() === expected.join();
    },
    20_000,
    100,
  );
}

async function openMenu(item: string): Promise<void> {
  await button('More actions for this datagrid').click();
  await visitor.page.getByRole('menuitem', { name: item }).click();
}

/** Chooses an action in the menu of a column in the settings of the columns. */
async function chooseOfColumn(column: string, action: string): Promise<void> {
  await dialog()
    .getByRole('button', { name: `Actions for ${column}` })
    .click();
  await dialog().getByRole('menuitem', { name: action }).click();
}

async function removeSku(): Promise<void> {
  await openMenu('Column settings');
  await chooseOfColumn('Sku', 'Remove');
  await dialog()
    .getByText(/^\W+Sku\W+disappears at once, with its values in 2 rows\. You can restore/)
    .waitFor();
  const confirm = dialog().getByRole('button', { name: 'Remove the column' });
  await confirm.click();
  await become('size');
  await confirm.waitFor({ state: 'hidden' });
}

async function closeDialogs(): Promise<void> {
  await visitor.page.keyboard.press('Escape');
  await dialog().first().waitFor({ state: 'detached' });
}

/** Waits until the header of a column has the focus. */
const headerIsFocused = (column: string): Promise<void> =>
  visitor.page.locator(`.ag-header-cell[col-id="${column}"]:focus`).waitFor();

describe('the focus', () => {
  it('moves to the header beside a column that is removed in its menu', async () => {
    await button('Options for Sku').click();
    await visitor.page.getByRole('menuitem', { name: 'Remove column' }).click();
    await dialog().getByRole('button', { name: 'Remove the column' }).click();
    await headerIsFocused('size');
    // The message with Undo comes later, and leaves the focus where it is.
    await button('Undo').waitFor();
    await headerIsFocused('size');
    await become('size');
  });

  it('moves to the header beside a column that is hidden in its menu', async () => {
    await button('Options for Sku').click();
    await visitor.page.getByRole('menuitem', { name: 'Hide column' }).click();
    await headerIsFocused('size');
  });

  it('returns to where the menu of a column was opened after Escape', async () => {
    await button('Options for Size').click();
    await visitor.page.getByRole('menu').waitFor();
    await visitor.page.keyboard.press('Escape');
    await button('Options for Size').and(visitor.page.locator(':focus')).waitFor();
    await visitor.page.locator('.ag-header-cell[col-id="sku"]').focus();
    await visitor.page.keyboard.press('Control+Enter');
    await visitor.page.getByRole('menu').waitFor();
    await visitor.page.keyboard.press('Escape');
    await headerIsFocused('sku');
  });
});

describe('the list of columns', () => {
  const line = (title: string): Locator =>
    dialog().getByRole('listitem').getByRole('button', { name: title }).first();

  it('has a line for each column, whose details open below it', async () => {
    await openMenu('Column settings');
    const items = dialog().getByRole('listitem');
    await items.first().waitFor();
    const heights = await items.evaluateAll((all) =>
      all.map((one) => Math.round((one as unknown as { offsetHeight: number }).offsetHeight)),
    );
    expect(heights).toEqual([40, 41]);
    await line('Sku').click();
    await items.first().getByText('sku: text').waitFor();
    await items.first().getByText('required').waitFor();
    await items.first().getByRole('button', { name: 'Copy key' }).waitFor();
    await line('Sku').click();
    await items.first().getByText('sku: text').waitFor({ state: 'hidden' });
  });

  it('keeps the focus in its lines when a column is changed or removed', async () => {
    await openMenu('Column settings');
    await chooseOfColumn('Size', 'Change');
    await visitor.page.getByRole('dialog', { name: /^Change/ }).waitFor();
    await visitor.page.keyboard.press('Escape');
    await line('Size').and(visitor.page.locator(':focus')).waitFor();
    await chooseOfColumn('Sku', 'Remove');
    await dialog().getByRole('button', { name: 'Remove the column' }).click();
    await become('size');
    await line('Size').and(visitor.page.locator(':focus')).waitFor();
  });
});

describe('a removed column', () => {
  it('comes back after it was removed in the menu of its header', async () => {
    await button('Options for Sku').click();
    await visitor.page.getByRole('menuitem', { name: 'Remove column' }).click();
    await dialog().getByRole('button', { name: 'Remove the column' }).click();
    await become('size');
    await button('Undo').click();
    await become('sku', 'size');
    await signedIn.cell(2, 'sku').getByText('s2').waitFor();
  });

  it('comes back with its values by the button Undo of the message', async () => {
    await removeSku();
    await button('Undo').click();
    await become('sku', 'size');
    await closeDialogs();
    await signedIn.cell(2, 'sku').getByText('s2').waitFor();
  });

  it('comes back with Ctrl+Z, and is removed again with Ctrl+Y', async () => {
    await removeSku();
    await closeDialogs();
    await visitor.page.keyboard.press('Control+z');
    await become('sku', 'size');
    await signedIn.cell(1, 'sku').getByText('s1').waitFor();
    await signedIn.cell(1, 'size').click();
    await visitor.page.keyboard.press('Control+y');
    await become('size');
  });

  it('is listed with who removed it, and restored with its values', async () => {
    expect((await api.delete(`${path}/columns/sku`)).status).toBe(204);
    await openMenu('Deleted columns');
    const table = dialog().getByRole('table', { name: 'Deleted columns' });
    await table.waitFor();
    const lines = await table.getByRole('row').allInnerTexts();
    expect(lines[1]).toMatch(/Sku\s+sku\s+text\s.*You, with (an API key|the key)/s);
    await dialog()
      .getByRole('button', { name: /Restore .*Sku/ })
      .press('Enter');
    await dialog().getByText('There are no deleted columns.').waitFor();
    await become('sku', 'size');
    await closeDialogs();
    await signedIn.cell(2, 'sku').getByText('s2').waitFor();
  });

  it('is restored under another key, and without a rule that rows conflict with', async () => {
    expect((await api.delete(`${path}/columns/sku`)).status).toBe(204);
    dataOf(await api.post(`${path}/columns`, { key: 'sku', type: 'text' }), 201);
    dataOf(await api.post(`${path}/rows`, { values: { size: 3 } }), 201);
    await visitor.open(path);
    await signedIn.cell(3, 'size').getByText('3').waitFor();
    await openMenu('Deleted columns');
    await dialog()
      .getByRole('button', { name: /Restore .*Sku/ })
      .click();
    const key = dialog().getByLabel('Key');
    await visitor.sees('Is used by another column by now;');
    expect(await key.inputValue()).toBe('sku_2');
    await key.fill('former');
    await dialog().getByRole('button', { name: 'Restore', exact: true }).click();
    await visitor.sees('1 row has no value.');
    await dialog().getByRole('checkbox', { name: 'Required' }).uncheck();
    await dialog().getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog().getByText('There are no deleted columns.').waitFor();
    await become('former', 'size', 'sku');
    const { columns } = dataOf(await api.get(path), 200);
    expect(columns[0]).toMatchObject({ key: 'former', title: 'Sku', required: false });
  });
});
