import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { isWholeSeen } from './whole-seen';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = [
  { key: 'name', type: 'text', required: true },
  { key: 'n', type: 'integer' },
  { key: 'day', type: 'date' },
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
  dataOf(await api.post(`${path}/rows`, { values: { name: 'first' } }), 201);
  await visitor.open(path);
  await cellOf('0', 'name').getByText('first').waitFor();
});

const cellOf = (row: string, column: string): Locator =>
  visitor.page.locator(`[row-index="${row}"] [col-id="${column}"]`);

/** Runs in the page: how the cell of a row in a column looks, and whether all of its value is seen. */
const look = (row: string, column: string): string => `(() => {
  const cell = document.querySelector('[row-index="${row}"] [col-id="${column}"]');
  const text = document.createRange();
  text.selectNodeContents(cell.querySelector('.edited-cell-text') ?? cell);
  const [from, to] = [text.getBoundingClientRect(), cell.getBoundingClientRect()];
  const { backgroundColor, fontWeight } = getComputedStyle(cell);
  const distance = Math.round(to.right - from.right);
  const isWhole = from.left >= to.left && from.right <= to.right;
  return { backgroundColor, fontWeight, distance, isWhole };
})()`;

/** Runs in the page: a message comes in from outside, and is opaque once it is in its place. */
const HAS_MOVED_IN = `(() => {
  const message = document.querySelector('.mantine-Notification-root');
  return getComputedStyle(message).opacity === '1' && message.getAnimations().length === 0;
})()`;

/** A cell of the last line. */
const newCell = (column: string): Locator => cellOf('b-0', column);

const sorted = (rows: readonly object[]): string =>
  JSON.stringify(rows.map((row) => Object.entries(row).sort()));

const rowsAre = async (expected: readonly object[]): Promise<void> => {
  await eventually(async () => {
    const { data } = (await api.get(`${path}/rows`)).body as { data: { values: object }[] };
    return sorted(data.map(({ values }) => values)) === sorted(expected) || undefined;
  });
};

async function press(...keys: readonly string[]): Promise<void> {
  for (const key of keys) await visitor.page.keyboard.press(key);
}

describe('the button Add row', () => {
  const addRow = (): Locator => visitor.page.getByRole('button', { name: 'Add row' });
  const form = (): Locator => visitor.page.getByRole('dialog', { name: 'New row' });

  it('moves to the last line, where the row is typed at once', async () => {
    await addRow().click();
    await newCell('name').locator('.value-editor:focus').waitFor();
    await visitor.page.keyboard.type('second');
    await press('Tab');
    await visitor.page.keyboard.type('2');
    await press('Enter');
    await rowsAre([{ name: 'first' }, { name: 'second', n: 2 }]);
    expect(await form().count()).toBe(0);
    expect(visitor.errors).toEqual([]);
  });

  it('opens the form with Shift, as the menu does, and the focus returns to it', async () => {
    await addRow().click({ modifiers: ['Shift'] });
    await form().getByLabel('name').fill('second');
    await form().getByRole('button', { name: 'Add the row' }).click();
    await rowsAre([{ name: 'first' }, { name: 'second' }]);
    await form().waitFor({ state: 'hidden' });
    await visitor.page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Add a row in a form' }).click();
    await form().waitFor();
    await press('Escape');
    await form().waitFor({ state: 'hidden' });
    expect(visitor.errors).toEqual([]);
  });

  it('opens the form on a phone', async () => {
    await visitor.page.setViewportSize({ width: 390, height: 800 });
    await addRow().click();
    await form().waitFor();
    await press('Escape');
    await form().waitFor({ state: 'hidden' });
    await visitor.page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('the last line of the grid', () => {
  it('takes rows of two fields with one key after each field', async () => {
    const { page } = visitor;
    await newCell('name').click();
    for (const [name, n] of [
      ['second', '2'],
      ['third', '3'],
    ] as const) {
      await page.keyboard.type(name);
      await press('Tab');
      await page.keyboard.type(n);
      await press('Enter');
      await newCell('name').and(page.locator(':focus-within')).waitFor();
    }
    await rowsAre([{ name: 'first' }, { name: 'second', n: 2 }, { name: 'third', n: 3 }]);
    await cellOf('2', 'name').getByText('third').waitFor();
    await visitor.sees('3 rows');
    expect(visitor.errors).toEqual([]);
  });

  it('takes the next rows while the first ones are being saved', async () => {
    const { page } = visitor;
    const release = await visitor.hold('**/rows');
    await newCell('name').click();
    for (const name of ['second', 'third', 'fourth']) {
      await page.keyboard.type(name);
      await press('Tab');
      await page.keyboard.type('1');
      await press('Enter');
    }
    await page.keyboard.type('fifth');
    await rowsAre([{ name: 'first' }]);
    await release();
    await rowsAre([
      { name: 'first' },
      ...['second', 'third', 'fourth'].map((name) => ({ name, n: 1 })),
    ]);
    await press('Enter');
    await visitor.sees('5 rows');
    expect(visitor.errors).toEqual([]);
  });

  it('follows the last row, and stays in view below more rows than fit', async () => {
    const { page } = visitor;
    const boxOf = async (index: string): Promise<{ top: number; bottom: number }> => {
      const box = await page.locator(`.ag-row[row-index="${index}"]`).first().boundingBox();
      if (!box) throw new Error(`Row ${index} is not on the screen.`);
      return { top: box.y, bottom: box.y + box.height };
    };
    const distance = async (last: string): Promise<number> =>
      (await boxOf('b-0')).top - (await boxOf(last)).bottom;
    expect(await distance('0')).toBeLessThanOrEqual(2);
    await newCell('name').click();
    await page.keyboard.type('second');
    await press('Enter');
    await cellOf('1', 'name').getByText('second').waitFor();
    expect(await distance('1')).toBeLessThanOrEqual(2);
    const rows = Array.from({ length: 100 }, () => ({ values: { name: 'more' } }));
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
    await visitor.open(path);
    await cellOf('2', 'name').getByText('more').waitFor();
    const frame = await page.locator('.row-table').boundingBox();
    const { bottom } = await boxOf('b-0');
    expect(Math.abs((frame?.y ?? 0) + (frame?.height ?? 0) - bottom)).toBeLessThanOrEqual(2);
  });

  it('is below the last row for the arrow keys', async () => {
    const focused = (row: string): Promise<void> =>
      cellOf(row, 'name').and(visitor.page.locator(':focus-within')).waitFor();
    await cellOf('0', 'name').click();
    await press('ArrowDown');
    await focused('b-0');
    await press('ArrowUp');
    await focused('0');
  });

  it('shows typed values whole, and as those of other rows', async () => {
    const type = async (): Promise<void> => {
      await newCell('n').click();
      await visitor.page.keyboard.type('12345678901');
      await press('Tab');
      await newCell('n').getByText('12,345,678,901').waitFor();
    };
    const save = async (name: string): Promise<void> => {
      await press('Shift+Tab', 'Shift+Tab');
      await visitor.page.keyboard.type(name);
      await press('Enter');
    };
    await type();
    await save('second');
    await cellOf('1', 'n').getByText('12,345,678,901').waitFor();
    await cellOf('0', 'n').click();
    const stored = await visitor.page.evaluate(look('1', 'n'));
    expect(stored).toMatchObject({ isWhole: true });
    await type();
    // The cell has no editor anymore.
    await eventually(async () =>
      isDeepStrictEqual(await visitor.page.evaluate(look('b-0', 'n')), stored),
    );
    await save('third');
    await rowsAre([
      { name: 'first' },
      { name: 'second', n: 12345678901 },
      { name: 'third', n: 12345678901 },
    ]);
    expect(visitor.errors).toEqual([]);
  });

  it('shows the whole of a value that is wrong', async () => {
    await newCell('name').click();
    await visitor.page.keyboard.type('bad');
    await press('Tab', 'Tab');
    await visitor.page.keyboard.type('13/13/2026');
    await press('Enter');
    await newCell('day').locator('.edited-cell-message').waitFor({ state: 'attached' });
    await newCell('name').hover();
    expect(await visitor.page.evaluate(look('b-0', 'day'))).toMatchObject({ isWhole: true });
    await visitor.page.getByRole('button', { name: 'Discard' }).click();
  });

  it('asks for a required value in place, and keeps the typed one', async () => {
    await newCell('n').click();
    await visitor.page.keyboard.type('5');
    await press('Enter');
    await visitor.sees('New row, not saved. Check name.');
    await newCell('name').and(visitor.page.locator(':focus-within')).waitFor();
    await rowsAre([{ name: 'first' }]);
    await visitor.page.keyboard.type('fifth');
    await press('Enter');
    await rowsAre([{ name: 'first' }, { name: 'fifth', n: 5 }]);
  });

  it('names the cell that the service rejects, until the row is discarded', async () => {
    const { page } = visitor;
    await newCell('name').click();
    await page.keyboard.type('bad');
    await press('Tab');
    await page.keyboard.type('9007199254740993');
    await press('Enter');
    await page.getByText('New row, not saved. Check n.').waitFor();
    await newCell('n').getByText('9,007,199,254,740,993').hover();
    const message = '[row-index="b-0"] [col-id="n"] .edited-cell-message';
    expect(await isWholeSeen(page, message)).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();
    await newCell('n').getByText('9,007,199,254,740,993').waitFor({ state: 'hidden' });
    await rowsAre([{ name: 'first' }]);
  });

  it('saves the row when the focus moves to another row', async () => {
    await newCell('name').click();
    await visitor.page.keyboard.type('left');
    await press('Tab');
    await cellOf('0', 'n').click();
    await rowsAre([{ name: 'first' }, { name: 'left' }]);
  });

  it('takes numbers and dates as the locale of the reader writes them', async () => {
    await newCell('name').click();
    await visitor.page.keyboard.type('local');
    await press('Tab');
    await visitor.page.keyboard.type('1,234');
    await press('Tab');
    await visitor.page.keyboard.type('11/21/2026');
    await press('Enter');
    await rowsAre([{ name: 'first' }, { name: 'local', n: 1234, day: '2026-11-21' }]);
  });

  it('says that the filter may place an added row elsewhere', async () => {
    await visitor.open(`${path}?filter=${encodeURIComponent('{"n":{"$gt":5}}')}`);
    await newCell('name').click();
    await visitor.page.keyboard.type('hidden');
    await press('Enter');
    await visitor.sees(
      'The row was added. The filter, the search or the sort order may place it elsewhere.',
    );
    await rowsAre([{ name: 'first' }, { name: 'hidden' }]);
    await visitor.sees('No rows match.');
    await visitor.page.getByRole('button', { name: 'Show all rows' }).click();
    await cellOf('1', 'name').getByText('hidden').waitFor();
    await cellOf('1', 'name').and(visitor.page.locator(':focus-within')).waitFor();
  });

  it('is undone with Ctrl+Z, and comes back with Ctrl+Y', async () => {
    await newCell('name').click();
    await visitor.page.keyboard.type('second');
    // At once, while the editor for the next row is open.
    await press('Enter', 'Control+z');
    await cellOf('1', 'name').waitFor({ state: 'detached' });
    await rowsAre([{ name: 'first' }]);
    await press('Control+y');
    await rowsAre([{ name: 'first' }, { name: 'second' }]);
  });

  it('is not covered by messages', async () => {
    const { page } = visitor;
    await visitor.open(`${path}?filter=${encodeURIComponent('{"n":{"$gt":5}}')}`);
    await newCell('name').click();
    await page.keyboard.type('hidden');
    await press('Enter');
    const message = page.locator('.mantine-Notification-root');
    await message.waitFor();
    await eventually(async () => (await page.evaluate(HAS_MOVED_IN)) === true || undefined);
    const line = await page.locator('.ag-row[row-index="b-0"]').first().boundingBox();
    const box = await message.boundingBox();
    if (!line || !box) throw new Error('The line and the message are not on the screen.');
    const isAbove = box.y + box.height <= line.y;
    const isBelow = box.y >= line.y + line.height;
    expect(isAbove || isBelow).toBe(true);
  });

  it('is missing for viewers', async () => {
    const viewer = await signedIn.colleague('viewer');
    await viewer.open(path);
    await viewer.page.locator('[row-index="0"] [col-id="name"]').getByText('first').waitFor();
    expect(await viewer.page.locator('[row-index="b-0"]').count()).toBe(0);
    await viewer.leave();
  });
});
