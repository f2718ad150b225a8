import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = Array.from({ length: 10 }, (_, index) => ({
  key: `c${String(index)}`,
  type: index === 1 ? 'decimal' : 'text',
}));
const TEXTS = ['plain', 'tab\there', 'two\nlines', 'say "yes"', '"quoted"', ' spaced ', '007'];

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

/** Opens a datagrid of 10 columns. */
async function open(rows: number): Promise<void> {
  path = await newDatagrid(api, COLUMNS);
  const all = Array.from({ length: rows }, (_, row) => ({
    values: Object.fromEntries(
      COLUMNS.map(({ key, type }, at) => [
        key,
        type === 'decimal' ? `${String(row)}.50` : TEXTS[(row + at) % TEXTS.length],
      ]),
    ),
  }));
  dataOf(await api.post(`${path}/rows`, { rows: all }), 201);
  await visitor.open(path);
  await cell(1, 'c1').getByText('0.50').waitFor();
}

const cell = (row: number, column: string): Locator => signedIn.cell(row, column);

const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await visitor.page.keyboard.press(key);
};

const clipboard = (): Promise<string> =>
  visitor.page.evaluate<string>('navigator.clipboard.readText()');

const toClipboard = (text: string): Promise<unknown> =>
  visitor.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);

const values = async (): Promise<Record<string, unknown>[]> => {
  const rows = dataOf(await api.get(`${path}/rows?limit=200`), 200) as unknown as {
    values: Record<string, unknown>;
  }[];
  return rows.map((row) => row.values);
};

/** Returns the highest revision of all rows, which each write increases by 1. */
const lastRevision = async (): Promise<number> => {
  const rows = dataOf(await api.get(`${path}/rows?limit=200`), 200) as unknown as {
    revision: number;
  }[];
  return Math.max(...rows.map((row) => row.revision));
};

/** Waits until a value of a row, by its position from 1, is as expected. */
const becomes = (row: number, key: string, expected: unknown): Promise<unknown> =>
  eventually(async () => (await values())[row - 1]?.[key] === expected || undefined);

describe('a block of 100 rows and 10 columns', () => {
  it('changes nothing if it is copied and pasted at its place, and is exact elsewhere', async () => {
    await open(100);
    const before = await values();
    await cell(1, 'c0').click();
    await press('Control+Shift+ArrowDown');
    for (let at = 1; at < 10; at += 1) await press('Shift+ArrowRight');
    await visitor.sees('Selected: 100 rows × 10 columns');
    await press('Control+c');
    await visitor.page.getByRole('status').getByText('Copied: 100 rows × 10 columns').waitFor();
    expect((await clipboard()).startsWith('plain\t0.50\t"two\nlines"\t"say ""yes"""')).toBe(true);
    await press('Control+v');
    await visitor.sees('No values changed.');
    expect(await values()).toEqual(before);
    await cell(1, 'c0').click();
    await press('Control+ArrowDown', 'ArrowDown');
    await cell(100, 'c0').click();
    await press('Control+v');
    await eventually(async () => (await values()).length === 199 || undefined);
    expect((await values()).slice(99)).toEqual(before);
    await cell(100, 'c0').click();
    await press('Control+c');
    await visitor.page.getByRole('status').getByText('Copied: 1 cell').waitFor();
  });
});

describe('a paste', () => {
  it('shows what does not fit before anything is written, and pastes the rest', async () => {
    await open(2);
    await cell(1, 'c0').click();
    await toClipboard('new\tabc\r\nother\t12.25\r\n');
    await press('Control+v');
    await visitor.sees('1 value cannot be pasted');
    await becomes(1, 'c0', 'plain');
    await visitor.page.getByRole('button', { name: 'Paste the rest' }).click();
    await becomes(1, 'c0', 'new');
    const [first, second] = await values();
    expect([first?.['c1'], second?.['c0'], second?.['c1']]).toEqual(['0.50', 'other', '12.25']);
  });

  it('shows what the service would reject in the same dialog', async () => {
    const unique = { key: 'sku', type: 'text', unique: true };
    path = await newDatagrid(api, [...COLUMNS.slice(0, 2), unique]);
    const rows = [{ c0: 'plain', c1: '0.50' }, { sku: 'taken' }].map((one) => ({ values: one }));
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
    await visitor.open(path);
    await cell(2, 'sku').getByText('taken').waitFor();
    await cell(1, 'c0').click();
    await toClipboard('new\tabc\ttaken');
    await press('Control+v');
    await visitor.sees('2 values cannot be pasted');
    await visitor.page.getByRole('button', { name: 'Paste the rest' }).click();
    await becomes(1, 'c0', 'new');
    expect(await visitor.page.getByRole('dialog').count()).toBe(0);
    expect((await values())[0]).toEqual({ c0: 'new', c1: '0.50' });
  });

  it('of all rows fits elsewhere, and names the same problem of many values once', async () => {
    await open(5);
    await cell(1, 'c0').click();
    await press('Control+a', 'Control+c');
    await visitor.page.getByRole('status').getByText('Copied: 5 rows × 10 columns').waitFor();
    await cell(3, 'c0').click();
    await press('Control+v');
    await eventually(async () => (await values()).length === 7 || undefined);
    await cell(1, 'c1').click();
    await toClipboard(['a', 'b', 'c', 'd', 'd'].join('\n'));
    await press('Control+v');
    await visitor.sees('5 values cannot be pasted');
    const dialog = visitor.page.getByRole('dialog');
    expect(await dialog.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^5 rows: 1, 2, 3 …\tc1\ta, b, c …\t/),
    ]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('is undone with Ctrl+Z and done again with Ctrl+Y, without overwriting what others changed', async () => {
    await open(2);
    await cell(1, 'c0').click();
    await toClipboard('new\nother');
    await press('Control+v');
    await becomes(2, 'c0', 'other');
    await press('Control+z');
    await becomes(1, 'c0', 'plain');
    await press('Control+y');
    await becomes(1, 'c0', 'new');
    dataOf(await api.patch(`${path}/rows/2`, { values: { c0: 'theirs' } }), 200);
    await cell(2, 'c0').getByText('theirs').waitFor();
    await press('Control+z');
    await becomes(1, 'c0', 'plain');
    expect((await values())[1]?.['c0']).toBe('theirs');
    await visitor.sees('Values that were changed since were not overwritten.');
  });
});

describe('cleared cells', () => {
  it('come back with the button Undo', async () => {
    await open(3);
    await cell(1, 'c0').click();
    await press('Shift+ArrowDown', 'Delete');
    await becomes(2, 'c0', undefined);
    await visitor.page.getByRole('button', { name: 'Undo', exact: true }).click();
    await becomes(2, 'c0', 'tab\there');
    await becomes(1, 'c0', 'plain');
  });
});

describe('an edit', () => {
  it('is undone with Ctrl+Z', async () => {
    await open(1);
    await cell(1, 'c0').click();
    await press('x', 'Enter');
    await becomes(1, 'c0', 'x');
    await cell(1, 'c0').click();
    await press('Control+z');
    await becomes(1, 'c0', 'plain');
  });
});

describe('Ctrl+Z during a write', () => {
  it('undoes a paste that is still being written', async () => {
    await open(2);
    const before = await lastRevision();
    await cell(1, 'c0').click();
    await toClipboard('new\nother');
    const release = await visitor.hold('**/rows/batch');
    await press('Control+v', 'Control+z');
    await release();
    await eventually(async () => (await lastRevision()) === before + 2 || undefined);
    expect((await values())[1]?.['c0']).toBe('tab\there');
  });

  it('undoes an edit that is still being saved, and not the action before it', async () => {
    await open(2);
    await cell(1, 'c0').click();
    await toClipboard('new');
    await press('Control+v');
    await becomes(1, 'c0', 'new');
    const before = await lastRevision();
    await cell(2, 'c0').click();
    const release = await visitor.hold('**/rows/2');
    await press('x', 'Enter', 'Control+z');
    await release();
    await eventually(async () => (await lastRevision()) === before + 2 || undefined);
    expect((await values()).map((row) => row['c0'])).toEqual(['new', 'tab\there']);
  });
});

describe('Ctrl+D and Ctrl+R', () => {
  it('copy the first cells of the selection to the others', async () => {
    await open(3);
    await cell(1, 'c0').click();
    await press('Shift+ArrowDown', 'Shift+ArrowDown', 'Control+d');
    await becomes(3, 'c0', 'plain');
    await cell(1, 'c3').click();
    await press('Shift+ArrowRight', 'Control+r');
    await becomes(1, 'c4', 'say "yes"');
  });
});

describe('the pages', () => {
  it('have no script errors', () => {
    expect(visitor.errors).toEqual([]);
  });
});

describe('a paste into the line for a new row', () => {
  const newLine = (column: string): Locator =>
    visitor.page.locator(`[row-index="b-0"] [col-id="${column}"]`);

  it('creates the rows of a block, also while the empty editor is open, and can be undone', async () => {
    await open(2);
    await toClipboard('one\t1.25\ntwo\t2.5');
    await newLine('c0').click();
    await press('ControlOrMeta+v');
    await becomes(4, 'c1', '2.5');
    await visitor.page.getByRole('button', { name: 'Add row' }).click();
    await newLine('c0').locator('input, textarea').waitFor();
    await press('ControlOrMeta+v');
    await becomes(6, 'c1', '2.5');
    expect((await values()).slice(2).map(({ c0 }) => c0)).toEqual(['one', 'two', 'one', 'two']);
    await visitor.page.getByRole('button', { name: 'Undo' }).last().click();
    await eventually(async () => (await values()).length === 4);
    expect(await visitor.page.evaluate('document.activeElement.className')).toContain('ag-cell');
  });
});
