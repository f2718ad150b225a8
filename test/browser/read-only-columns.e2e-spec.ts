import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = [
  { key: 'no', title: 'Number', type: 'autonumber', options: { start: 1000 } },
  { key: 'name', type: 'text' },
  { key: 'by', title: 'Creator', type: 'createdBy' },
];

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, COLUMNS);
  const rows = ['a', 'b'].map((name) => ({ values: { name } }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  await cell(1, 'no').getByText('1000').waitFor();
});

const cell = (row: number, column: string): Locator => signedIn.cell(row, column);

const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await visitor.page.keyboard.press(key);
};

/** Returns number and name of each row. */
async function rowsOf(): Promise<unknown[]> {
  const rows = dataOf(await api.get(`${path}/rows`), 200) as unknown as {
    values: { no: number; name?: string };
  }[];
  return rows.map(({ values }) => [values.no, values.name]);
}

const rowsAre = (expected: readonly unknown[]): Promise<unknown> =>
  eventually(async () => JSON.stringify(await rowsOf()) === JSON.stringify(expected) || undefined);

describe('a column whose values the service sets', () => {
  it('has cells that open no editor, and a form of a new row without them', async () => {
    await cell(1, 'no').dblclick();
    const message = visitor.page.getByText('The service sets the values of this column.');
    for (const key of ['5', 'Enter', 'F2', 'Delete', 'Backspace']) {
      await cell(1, 'no').click();
      await press(key);
      await message.waitFor();
      expect([key, await message.count()]).toEqual([key, 1]);
      await visitor.page.getByRole('alert').getByRole('button').click();
      await message.waitFor({ state: 'detached' });
    }
    await press('ArrowRight');
    expect(await visitor.page.locator('.value-editor').count()).toBe(0);
    expect(await visitor.page.locator('.edited-cell').count()).toBe(0);
    expect(await cell(1, 'no').textContent()).toBe('1000');
    await visitor.page.getByRole('button', { name: 'Add row' }).click({ modifiers: ['Shift'] });
    const form = visitor.page.getByRole('dialog', { name: 'New row' });
    expect(await form.getByLabel('Number').count()).toBe(0);
    expect(await form.getByLabel('Creator').count()).toBe(0);
    await form.getByLabel('name').fill('c');
    await form.getByRole('button', { name: 'Add the row' }).click();
    await rowsAre([
      [1000, 'a'],
      [1001, 'b'],
      [1002, 'c'],
    ]);
    // The user of this session has created the row.
    await cell(3, 'by').getByText('You').waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('takes a new row in the last line, whose first cell to type into is the next column', async () => {
    await visitor.page.getByRole('button', { name: 'Add row' }).click();
    const newName = visitor.page.locator('[row-index="b-0"] [col-id="name"]');
    await newName.locator('.value-editor:focus').waitFor();
    await visitor.page.keyboard.type('typed');
    await press('Enter');
    await rowsAre([
      [1000, 'a'],
      [1001, 'b'],
      [1002, 'typed'],
    ]);
  });

  it('is listed with the reason before a paste or a fill changes anything', async () => {
    await visitor.page.evaluate("navigator.clipboard.writeText('7\\tx\\r\\n')");
    await cell(1, 'no').click();
    await press('Control+v');
    await visitor.sees('1 value cannot be pasted');
    await visitor.sees('The service sets the values of this column.');
    expect(await rowsOf()).toEqual([
      [1000, 'a'],
      [1001, 'b'],
    ]);
    await visitor.page.getByRole('button', { name: 'Paste the rest' }).click();
    await rowsAre([
      [1000, 'x'],
      [1001, 'b'],
    ]);
    await cell(1, 'no').click();
    await press('Shift+ArrowDown', 'Control+d');
    await visitor.sees('The service sets the values of this column.');
    await visitor.page.getByRole('button', { name: 'Cancel' }).click();
    expect(await rowsOf()).toEqual([
      [1000, 'x'],
      [1001, 'b'],
    ]);
  });

  it('is added in the header with its first number', async () => {
    await visitor.page.getByRole('button', { name: 'Add a column', exact: true }).click();
    const form = visitor.page.getByRole('dialog', { name: 'Add a column' });
    await form.getByLabel('Title').fill('Ticket');
    await form.getByRole('radio', { name: 'autonumber', exact: true }).check();
    await form.getByLabel('First number').fill('50');
    await form.getByLabel('First number').press('Enter');
    await cell(2, 'ticket').getByText('51').waitFor();
    const header = visitor.page.locator('.ag-header-cell[col-id="ticket"]');
    expect(await header.locator('[data-type="autonumber"]').count()).toBe(1);
  });

  it('is left out of the import of an export', async () => {
    const { text } = await api.get(`${path}/rows/export?format=csv`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await page.getByRole('menuitem', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog', { name: /^Import/ });
    const file = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await dialog.locator('input[type="file"]').setInputFiles(file);
    const target = dialog.getByLabel('Column for Number').or(dialog.getByLabel('Column for no'));
    expect(await target.inputValue()).toBe('skip');
    expect(await target.getByRole('option', { name: 'Creator' }).count()).toBe(0);
  });
});
