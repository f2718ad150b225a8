import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'n', type: 'integer' },
  { key: 'done', type: 'boolean' },
];

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, COLUMNS);
  const rows = [1, 2, 3, 4, 5].map((n) => ({
    values: { name: `Row ${String(n)}`, n, done: false },
  }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  await cell(1, 'name').getByText('Row 1').waitFor();
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const cell = (row: number, column: string): Locator => signedIn.cell(row, column);

const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await visitor.page.keyboard.press(key);
};

/** Runs in the page: returns the selected cells, by row and column. */
const SELECTED = `[...document.querySelectorAll('.ag-cell[aria-selected="true"]')].map((cell) =>
  Number(cell.closest('[row-index]').getAttribute('row-index')) + 1 + ' ' + cell.getAttribute('col-id'))`;

const isSelected = (expected: readonly string[]): Promise<unknown> =>
  eventually(async () => {
    const cells = await visitor.page.evaluate<string[]>(SELECTED);
    return JSON.stringify(cells.sort()) === JSON.stringify([...expected].sort()) || undefined;
  });

/** Waits until a cell has the focus. */
const isFocused = (row: number, column: string): Promise<void> =>
  visitor.page
    .locator(`[row-index="${String(row - 1)}"] [col-id="${column}"]:focus`)
    .waitFor({ state: 'attached' });

const valuesOf = async (id: number): Promise<object> =>
  dataOf(await api.get(`${path}/rows/${String(id)}`), 200).values as object;

const holds = (id: number, values: object): Promise<unknown> =>
  eventually(async () => {
    const now = Object.entries(await valuesOf(id)).sort();
    return JSON.stringify(now) === JSON.stringify(Object.entries(values).sort()) || undefined;
  });

describe('a range of cells', () => {
  it('is selected by a drag, and extended by Shift+click and Shift+arrows', async () => {
    await cell(2, 'name').hover();
    await visitor.page.mouse.down();
    await cell(3, 'n').hover();
    await visitor.page.mouse.up();
    await isSelected(['2 name', '2 n', '3 name', '3 n']);
    await visitor.sees('Selected: 2 rows × 2 columns');
    await cell(2, 'done').click({ modifiers: ['Shift'] });
    await isSelected(['2 name', '2 n', '2 done']);
    await press('Shift+ArrowLeft', 'Shift+ArrowDown');
    await isSelected(['2 name', '2 n', '3 name', '3 n']);
    await press('Shift+Control+ArrowDown');
    await visitor.sees('Selected: 4 rows × 2 columns');
    await press('Escape');
    await isSelected(['2 name']);
  });

  it('reaches the first or the last cell of the grid with Ctrl+Shift+Home and End', async () => {
    await cell(2, 'n').click();
    await press('Control+Shift+End');
    await visitor.sees('Selected: 4 rows × 2 columns');
    await isSelected(
      [2, 3, 4, 5].flatMap((row) => ['n', 'done'].map((key) => `${String(row)} ${key}`)),
    );
    await press('Control+Shift+Home');
    await isSelected(['1 name', '1 n', '2 name', '2 n']);
  });

  it('is a column after a click on its header, and a row after one on its number', async () => {
    await visitor.page.locator('.column-header-title', { hasText: 'n' }).nth(1).click();
    await isSelected([1, 2, 3, 4, 5].map((row) => `${String(row)} n`));
    await cell(3, ':number').click();
    await isSelected(['3 name', '3 n', '3 done']);
    await press('Control+a');
    await visitor.sees('Selected: 5 rows × 3 columns');
  });

  it('leaves out the ids, except if it starts there', async () => {
    await cell(2, 'n').click();
    await press('Control+Shift+ArrowRight');
    await isSelected(['2 n', '2 done']);
    await press('Shift+ArrowRight', 'Shift+ArrowLeft');
    await isSelected(['2 n']);
    await cell(3, 'done').hover();
    await visitor.page.mouse.down();
    await cell(4, ':id').hover();
    await visitor.page.mouse.up();
    await isSelected(['3 done', '4 done']);
    await cell(2, ':id').click();
    await press('Shift+ArrowDown');
    await isSelected(['2 :id', '3 :id']);
  });
});

describe('the keys of a spreadsheet', () => {
  it('move to the next cell with Tab, and leave the grid after Escape', async () => {
    await cell(1, 'n').click();
    await press('Tab');
    await isFocused(1, 'done');
    await press('Tab', 'Tab');
    await isFocused(2, 'name');
    await press('Shift+Tab', 'Shift+Tab');
    await isFocused(1, 'done');
    await press('Escape', 'Tab');
    await eventually(
      async () => (await visitor.page.locator('.ag-cell:focus-within').count()) === 0 || undefined,
    );
  });

  it('replace a value by typing, and commit it with Enter, Tab and arrows', async () => {
    await cell(1, 'name').click();
    await press('A', 'b', 'Enter');
    await isFocused(2, 'name');
    await press('C', 'Tab');
    await isFocused(2, 'n');
    await press('7', 'ArrowDown');
    await isFocused(3, 'n');
    await press('8', 'Escape');
    await holds(1, { name: 'Ab', n: 1, done: false });
    await holds(2, { name: 'C', n: 7, done: false });
    expect(await valuesOf(3)).toEqual({ name: 'Row 3', n: 3, done: false });
  });

  it('toggle a checkbox with Space', async () => {
    await cell(1, 'done').click();
    await press('Space');
    await holds(1, { name: 'Row 1', n: 1, done: true });
    await press('Space');
    await holds(1, { name: 'Row 1', n: 1, done: false });
  });

  it('clear the selected cells with Delete, and nothing of rows that are checked', async () => {
    await cell(4, ':check').click();
    await cell(1, 'name').click();
    await press('Shift+ArrowRight', 'Shift+ArrowDown', 'Delete');
    await holds(1, { done: false });
    await holds(2, { done: false });
    for (const n of [3, 4, 5]) {
      expect(await valuesOf(n)).toEqual({ name: `Row ${String(n)}`, n, done: false });
    }
  });

  it('focus the search with Ctrl+F', async () => {
    await cell(1, 'name').click();
    await press('Control+f');
    await visitor.page.locator('[role="search"] input:focus').waitFor();
  });
});

describe('the fill handle', () => {
  /** Presses the mouse on the corner of a cell. */
  const grab = async (row: number, column: string): Promise<void> => {
    const box = await cell(row, column).boundingBox();
    if (!box) throw new Error('The cell is not on the screen.');
    await visitor.page.mouse.move(box.x + box.width - 3, box.y + box.height - 3);
    await visitor.page.mouse.down();
  };
  const dragTo = async (row: number, column: string): Promise<void> => {
    await cell(row, column).hover();
    await visitor.page.mouse.up();
  };

  it('continues series down, and Ctrl+Z takes them back', async () => {
    await cell(1, 'name').click();
    await press('Shift+ArrowRight');
    dataOf(await api.patch(`${path}/rows/2`, { values: { n: 3 } }), 200);
    await cell(2, 'n').getByText('3').waitFor();
    await press('Shift+ArrowDown');
    await isSelected(['1 name', '1 n', '2 name', '2 n']);
    dataOf(await api.patch(`${path}/rows/4`, { values: { name: 'Other' } }), 200);
    await cell(4, 'name').getByText('Other').waitFor();
    await grab(2, 'n');
    await dragTo(4, 'n');
    await holds(3, { name: 'Row 3', n: 5, done: false });
    await holds(4, { name: 'Row 4', n: 7, done: false });
    expect(await valuesOf(5)).toEqual({ name: 'Row 5', n: 5, done: false });
    await press('Control+z');
    await holds(4, { name: 'Other', n: 4, done: false });
    await holds(3, { name: 'Row 3', n: 3, done: false });
  });

  it('fills down beside a filled column with a double click, and upward by a drag', async () => {
    await cell(2, 'n').click();
    const box = await cell(2, 'n').boundingBox();
    await visitor.page.mouse.dblclick(
      (box?.x ?? 0) + (box?.width ?? 0) - 3,
      (box?.y ?? 0) + (box?.height ?? 0) - 3,
    );
    await holds(5, { name: 'Row 5', n: 2, done: false });
    await isSelected(['2 n', '3 n', '4 n', '5 n']);
    await cell(3, 'name').click();
    await grab(3, 'name');
    await dragTo(1, 'name');
    await holds(2, { name: 'Row 4', n: 2, done: false });
    await holds(1, { name: 'Row 5', n: 1, done: false });
  });
});
