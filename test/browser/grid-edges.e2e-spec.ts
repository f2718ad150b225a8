import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newView } from '../support/fixture';
import { DESKTOP, PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';
import { isWholeSeen } from './whole-seen';

// Starts a service and a browser, whose scrollbars have no width, as on phones and macOS.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(() => visitor.page.setViewportSize(DESKTOP));

/** Opens a datagrid with columns of integers, `n0` and so on, and rows of them. */
async function open(columns: number, rows: number): Promise<void> {
  const keys = Array.from({ length: columns }, (_, at) => `n${String(at)}`);
  const path = await newDatagrid(
    api,
    keys.map((key) => ({ key, type: 'integer' })),
  );
  const values = Object.fromEntries(keys.map((key) => [key, 5]));
  const created = Array.from({ length: rows }, () => ({ values }));
  dataOf(await api.post(`${path}/rows`, { rows: created }), 201);
  await visitor.open(path);
  await cellOf('0', 'n0').getByText('5').waitFor();
}

const cellOf = (row: string, column: string): Locator =>
  visitor.page.locator(`[row-index="${row}"] [col-id="${column}"]`);

/** Types a wrong value into a cell, and waits until all of its message is seen. */
async function typeWrong(row: string, column: string): Promise<void> {
  const { page } = visitor;
  await cellOf(row, column).click();
  await page.keyboard.type('many');
  await page.keyboard.press('Enter');
  await cellOf(row, column)
    .locator('.edited-cell-message')
    .getByText('Enter a whole number.')
    .waitFor();
  await cellOf(row, column).hover();
  const message = `[row-index="${row}"] [col-id="${column}"] .edited-cell-message`;
  await eventually(async () => (await isWholeSeen(page, message)) || undefined);
}

/** Runs in the page: whether rows are on top near the right and the lower edge, and in the last line. */
const ARE_ROWS = `(() => {
  const view = document.querySelector('.ag-grid-viewport').getBoundingClientRect();
  const line = document.querySelector('.ag-row[row-index="b-0"]').getBoundingClientRect();
  const points = [
    [view.right - 6, view.top + 100],
    [view.left + 400, line.top - 6],
    [view.left + 400, line.bottom - 6],
    [view.right - 6, line.bottom - 6],
  ];
  return points.map(([x, y]) => document.elementFromPoint(x, y).closest('.ag-row') !== null);
})()`;

/** Runs in the page: the colors of the strips in which the scrollbars move. */
const COLORS = `['horizontal', 'vertical'].map((direction) =>
  getComputedStyle(document.querySelector('.ag-body-' + direction + '-scroll-viewport')).backgroundColor)`;

describe('scrollbars without a width', () => {
  it('cover no row, no value and no part of the last line', async () => {
    await open(12, 60);
    for (const direction of ['horizontal', 'vertical']) {
      await visitor.page.locator(`.ag-body-${direction}-scroll.ag-scrollbar-invisible`).waitFor();
    }
    expect(await visitor.page.evaluate(ARE_ROWS)).toEqual(Array(4).fill(true));
    expect(await visitor.page.evaluate(COLORS)).toEqual(Array(2).fill('rgba(0, 0, 0, 0)'));
    expect(visitor.errors).toEqual([]);
  });
});

describe('the title of a column of numbers', () => {
  it('is at the right, as its values are', async () => {
    await open(1, 1);
    const title = await visitor.page.locator('.column-header-text').boundingBox();
    const menu = await visitor.page.getByRole('button', { name: 'Options for n0' }).boundingBox();
    const end = (title?.x ?? 0) + (title?.width ?? 0);
    expect(Math.abs((menu?.x ?? Infinity) - end)).toBeLessThanOrEqual(2);
  });
});

/** Runs in the page: where the focus is, by its column if it is in the grid. */
const FOCUS = `(() => {
  const element = document.activeElement;
  const part = element.closest('.ag-header') ? 'header' : element.closest('.ag-cell') ? 'row' : 'outside';
  return part + ' ' + (element.closest('[col-id]')?.getAttribute('col-id') ?? '');
})()`;

/** Presses a key. @returns where the focus is then. */
async function pressed(key: string): Promise<string> {
  await visitor.page.keyboard.press(key);
  return visitor.page.evaluate<string>(FOCUS);
}

describe('a grid of 100 columns', () => {
  const before = (): Locator => visitor.page.locator('.grid-toolbar :is(button, input)').last();

  it('has two stops for Tab in each direction: a header, and a cell', async () => {
    await open(100, 3);
    await before().focus();
    expect(await pressed('Tab')).toBe('header :check');
    expect(await pressed('ArrowRight')).toBe('header :number');
    expect(await pressed('ArrowRight')).toBe('header n0');
    expect(await pressed('Tab')).toBe('row n0');
    expect(await pressed('Tab')).toBe('outside ');
    await before().focus();
    await pressed('Tab');
    expect(await pressed('Tab')).toBe('row n0');
    expect(await pressed('Tab')).toBe('outside ');
    await before().focus();
    await pressed('Tab');
    expect(await pressed('Shift+Tab')).toBe('outside ');
    await before().and(visitor.page.locator(':focus')).waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('keeps the keys of a spreadsheet, and reaches all headers with the arrow keys, Home and End', async () => {
    await open(100, 3);
    await before().focus();
    await pressed('Tab');
    expect(await pressed('End')).toBe('header :id');
    expect(await pressed('ArrowLeft')).toBe('header n99');
    expect(await pressed('Home')).toBe('header :check');
    await pressed('ArrowRight');
    await pressed('ArrowRight');
    await pressed('Tab');
    expect(await pressed('ArrowRight')).toBe('row n1');
    expect(await pressed('Tab')).toBe('row n2');
    expect(visitor.errors).toEqual([]);
  });
});

/** Runs in the page: the shown widths of the titles of columns, and their whole widths, by title. */
const TITLES = `Object.fromEntries([...document.querySelectorAll('.column-header-text')].map(
  (title) => [title.textContent, [title.clientWidth, title.scrollWidth]]))`;

describe('the title of a sorted column', () => {
  const columns = [
    { key: 'amount', type: 'decimal', title: 'Amount' },
    { key: 'quantity', type: 'integer', title: 'Quantity' },
    { key: 'open', type: 'boolean', title: 'Airport open' },
  ];
  const sort = 'amount,-quantity,open';

  /** Opens sorted rows. @returns the shown and the whole widths of the titles. */
  async function titlesIn(query: (path: string) => Promise<string>): Promise<[number, number][]> {
    const path = await newDatagrid(api, columns);
    dataOf(await api.post(`${path}/rows`, { rows: [{ values: { quantity: 5 } }] }), 201);
    await visitor.open(`${path}${await query(path)}`);
    await cellOf('0', 'quantity').getByText('5').waitFor();
    await visitor.page.getByRole('button', { name: '↑3' }).waitFor();
    const titles = await visitor.page.evaluate<Record<string, [number, number]>>(TITLES);
    expect(Object.keys(titles).sort()).toEqual(['Airport open', 'Amount', 'Quantity']);
    return Object.values(titles);
  }

  it('is whole in a column of the default width', async () => {
    const titles = await titlesIn(() => Promise.resolve(`?sort=${sort}`));
    expect(titles.filter(([shown, whole]) => shown < whole)).toEqual([]);
  });

  it.each([
    ['in a column of the least width', DESKTOP],
    ['in a column of the least width on a phone', PHONE],
  ])('can be recognized %s', async (_, view) => {
    await visitor.page.setViewportSize(view);
    const titles = await titlesIn(async (path) => {
      const layout = columns.map(({ key }) => ({ key, width: 80 }));
      return `?view=${await newView(api, path, { name: 'Narrow', sort, columns: layout })}`;
    });
    // At least four letters.
    expect(titles.filter(([shown]) => shown < 30)).toEqual([]);
  });
});

describe('the message of a wrong value is whole', () => {
  it('in the last line, above a scrollbar', async () => {
    await open(12, 60);
    await typeWrong('b-0', 'n2');
    await visitor.page.getByRole('button', { name: 'Discard' }).click();
    expect(visitor.errors).toEqual([]);
  });

  it('in the last column on the screen, and in the last row above the line', async () => {
    await open(12, 60);
    await typeWrong('2', 'n7');
    await typeWrong('15', 'n1');
    expect(visitor.errors).toEqual([]);
  });

  it('in the only row', async () => {
    await open(2, 1);
    await typeWrong('0', 'n1');
    expect(visitor.errors).toEqual([]);
  });

  it('in a column that is pinned to the left', async () => {
    await open(12, 3);
    await visitor.page.getByRole('button', { name: 'Options for n0' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Pin to the left' }).click();
    await visitor.page.locator('.ag-grid-pinned-left-cells [col-id="n0"]').first().waitFor();
    await typeWrong('1', 'n0');
    expect(visitor.errors).toEqual([]);
  });

  it('on a phone', async () => {
    await visitor.page.setViewportSize(PHONE);
    await open(12, 60);
    await typeWrong('2', 'n1');
    expect(visitor.errors).toEqual([]);
  });
});
