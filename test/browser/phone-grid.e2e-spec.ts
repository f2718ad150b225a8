import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { violationsOn } from './violations';
import { PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
});

afterAll(() => signedIn.leave());

/** Runs in the page: the texts of cells and headers that are cut off. */
const CUT = `[...document.querySelectorAll(
  '[row-index="0"] .ag-cell, [row-index="0"] .ag-cell .ag-cell-value, .column-header-text')]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.textContent)`;

it('has columns on a phone that are wide enough for short titles and usual values', async () => {
  const { api } = signedIn;
  const values = {
    name: ['text', 'Short name'],
    people: ['integer', 9_876_543],
    price: ['decimal', '12345.50'],
    day: ['date', '2026-11-21'],
    changed: ['datetime', '2026-11-21T10:30:00.000Z'],
  } as const;
  const columns = Object.entries(values).map(([key, [type]]) => ({ key, type }));
  const path = await newDatagrid(api, columns);
  const row = Object.fromEntries(Object.entries(values).map(([key, [, value]]) => [key, value]));
  dataOf(await api.post(`${path}/rows`, { values: row }), 201);
  const visitor = await signedIn.another({ view: PHONE });
  await visitor.open(path);
  await visitor.sees('Short name');
  for (const key of Object.keys(values)) {
    const cell = visitor.page.locator(`[row-index="0"] [col-id="${key}"]`);
    await cell.scrollIntoViewIfNeeded();
    await cell.getByText(/\w/).first().waitFor();
    if (key === 'price') expect(await cell.textContent()).toBe('12,345.50');
    expect(await visitor.page.evaluate(CUT)).toEqual([]);
  }
  expect(visitor.errors).toEqual([]);
});

/** Runs in the page: the middle of the checkbox of the header and of a row, and the color of both. */
const CHECKBOXES = `['.ag-header [col-id=":check"] input', '[row-index="0"] .row-check'].map((selector) => {
  const box = document.querySelector(selector);
  const { left, width } = box.getBoundingClientRect();
  return { middle: Math.round(left + width / 2), color: getComputedStyle(box).backgroundColor };
})`;

it('has the checkbox of the header over those of the rows, in the color of the page', async () => {
  const { api } = signedIn;
  const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
  dataOf(await api.post(`${path}/rows`, { values: { name: 'a row' } }), 201);
  const visitor = await signedIn.another({ view: PHONE, colorScheme: 'dark' });
  await visitor.open(path);
  await visitor.page.locator('[row-index="0"] .row-check').waitFor();
  const [header, row] = await visitor.page.evaluate<object[]>(CHECKBOXES);
  expect(header).toEqual({ ...row, color: 'rgba(0, 0, 0, 0)' });
  expect(row).toEqual({ ...header });
  await visitor.leave();
});

/** Runs in the page: the tops of the lines of the toolbar, and the controls that are cut off. */
const TOOLBAR = `(() => {
  const bar = document.querySelector('.grid-toolbar');
  const parts = [...bar.querySelectorAll('button, input, .grid-total')].filter((one) => one.offsetWidth > 0);
  const boxes = parts.map((one) => [one, one.getBoundingClientRect()]);
  const lines = new Set(boxes.map(([, { top, height }]) => Math.round((top + height / 2) / 12)));
  const isCut = ([one, { left, right }]) =>
    left < 0 || right > innerWidth || (one.tagName !== 'BUTTON' && one.scrollWidth > one.clientWidth);
  return {
    lines: lines.size,
    cut: boxes.filter(isCut).map(([one]) => one.outerHTML),
    view: document.querySelector('.view-button-name').scrollWidth -
      document.querySelector('.view-button-name').clientWidth,
  };
})()`;

it('has a toolbar of two lines, in which nothing is cut off, from 360 to 600 px', async () => {
  const { api } = signedIn;
  const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
  const rows = Array.from({ length: 1_000 }, () => ({ values: { name: 'a row' } }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  const visitor = await signedIn.another({ view: PHONE });
  const { page } = visitor;
  await visitor.open(path);
  await visitor.sees('1,000 rows');
  const row = page.locator('[row-index="0"] input[type=checkbox]').first();
  for (const width of [360, 390, 430, 600]) {
    await page.setViewportSize({ width, height: 740 });
    const whole = JSON.stringify({ lines: 2, cut: [], view: 0 });
    await eventually(async () => JSON.stringify(await page.evaluate(TOOLBAR)) === whole);
    // The menu has the buttons that do not fit.
    await page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await page.getByRole('menuitem', { name: 'Refresh' }).click();
    await row.check();
    await page.getByRole('button', { name: 'Delete row' }).waitFor();
    expect(await page.evaluate(TOOLBAR)).toMatchObject({ lines: 2, cut: [] });
    await row.uncheck();
  }
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

/** Runs in the page: returns the columns of values that are whole on the screen. */
const WHOLE = `(() => {
  const { right } = document.querySelector('.ag-root').getBoundingClientRect();
  return [...document.querySelectorAll('[row-index="0"] [col-id]')]
    .filter((cell) => cell.getBoundingClientRect().right <= right)
    .map((cell) => cell.getAttribute('col-id'))
    .filter((id) => /^[a-z]+$/.test(id));
})()`;

it('shows three columns of values of a datagrid', async () => {
  const { api } = signedIn;
  const path = await newDatagrid(api, [
    { key: 'customer', type: 'text', title: 'Name of the customer' },
    { key: 'status', type: 'select', options: { choices: ['open'] } },
    { key: 'amount', type: 'decimal' },
    { key: 'day', type: 'date' },
  ]);
  const values = { customer: 'Ada', status: 'open', amount: '9009.50', day: '2026-11-27' };
  dataOf(await api.post(`${path}/rows`, { values }), 201);
  const visitor = await signedIn.another({ view: PHONE });
  await visitor.open(path);
  await visitor.page.getByText('9,009.50').waitFor();
  expect(await visitor.page.evaluate(WHOLE)).toEqual(['customer', 'status', 'amount']);
  await visitor.leave();
});

/** Runs in the page: the texts of the times and email addresses that are broken into lines. */
const BROKEN = `[...document.querySelectorAll('.data-table time, .data-table .unbroken')]
  .filter((one) => one.offsetWidth > 0 && one.getClientRects().length + (one.offsetHeight > 24) > 1)
  .map((one) => one.textContent)`;

it('lists keys, users, requests and events as cards with unbroken times and addresses', async () => {
  const visitor = await signedIn.another({
    view: { width: 390, height: 740 },
  });
  for (const [path, label, text, fact] of [
    ['/profile/keys', 'Active keys', 'test', 'Never'],
    ['/users', 'Users', signedIn.owner.email, 'Owner'],
    ['/audit', 'Events', 'Workspace created', 'Workspace created'],
    ['/requests', 'Requests', 'POST /', '201'],
  ] as const) {
    await visitor.open(path);
    const table = visitor.page.getByRole('table', { name: label });
    await table.getByText(text).first().waitFor();
    expect(await table.getByText(fact, { exact: true }).first().isVisible()).toBe(true);
    expect(await visitor.page.evaluate(BROKEN)).toEqual([]);
    // It is still a table for screen readers.
    expect(await table.getByRole('columnheader').count()).toBeGreaterThan(1);
    expect(await table.getByRole('row').count()).toBeGreaterThan(1);
    expect(await violationsOn(visitor.page)).toEqual([]);
  }
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

it('opens a row as a card on a large screen, with the button beside its number and with Enter', async () => {
  const { api } = signedIn;
  const path = await newDatagrid(api, [{ key: 'name', type: 'text' }]);
  dataOf(await api.post(`${path}/rows`, { rows: [{ values: { name: 'a' } }] }), 201);
  const visitor = await signedIn.another();
  await visitor.open(path);
  const cell = (column: string): Locator =>
    visitor.page.locator(`[row-index="0"] [col-id="${column}"]`);
  await cell('name').getByText('a').hover();
  await visitor.page.getByRole('button', { name: 'Open row 1', exact: true }).click();
  const card = visitor.page.getByRole('dialog', { name: 'Row 1', exact: true });
  await card.getByRole('textbox', { name: 'name', exact: true }).waitFor();
  expect((await card.boundingBox())?.width).toBeLessThan(700);
  expect(await violationsOn(visitor.page)).toEqual([]);
  await visitor.page.keyboard.press('Escape');
  await card.waitFor({ state: 'hidden' });
  await cell(':number').and(visitor.page.locator(':focus')).waitFor();
  await visitor.page.keyboard.press('Enter');
  await card.waitFor();
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

describe('a row as a card', () => {
  const options = { choices: ['small', 'large'] };
  let api: ApiClient;
  let visitor: Visitor;
  let path: string;

  const card = (row: number): Locator =>
    visitor.page.getByRole('dialog', { name: `Row ${row.toLocaleString('en')}`, exact: true });

  const sorted = (values: object): string => JSON.stringify(Object.entries(values).sort());

  const isNow = async (row: number, values: object): Promise<void> => {
    await eventually(async () => {
      const now = dataOf(await api.get(`${path}/rows/${String(row)}`), 200).values as object;
      return sorted(now) === sorted(values);
    });
  };

  beforeAll(async () => {
    ({ api } = signedIn);
    visitor = await signedIn.another({ view: PHONE });
  });

  beforeEach(async () => {
    path = await newDatagrid(api, [
      { key: 'name', type: 'text' },
      { key: 'size', type: 'select', options },
      { key: 'done', type: 'boolean' },
      { key: 'n', type: 'integer' },
      { key: 'extra', type: 'json' },
    ]);
    const rows = Array.from({ length: 450 }, (_, at) => ({ values: { name: `Row ${at + 1}` } }));
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
    await visitor.open(path);
    await visitor.page.getByRole('button', { name: 'Open row 1', exact: true }).click();
    await card(1).waitFor();
  });

  it('has all fields, which are saved when the focus leaves them', async () => {
    const { page } = visitor;
    const field = (name: string): Locator => card(1).getByRole('textbox', { name, exact: true });
    expect(await field('name').inputValue()).toBe('Row 1');
    expect(await violationsOn(page)).toEqual([]);
    await field('name').fill('First');
    await field('n').fill('12');
    await isNow(1, { name: 'First' });
    await card(1).getByRole('combobox', { name: 'size' }).click();
    await page.getByRole('option', { name: 'large' }).click();
    await isNow(1, { name: 'First', size: 'large', n: 12 });
    await card(1).getByLabel('done').selectOption('true');
    await field('extra').fill('[1.0, "a"]');
    await field('n').fill('many');
    await field('name').click();
    await card(1).getByText('Enter a whole number.').waitFor();
    await isNow(1, { name: 'First', size: 'large', done: true, n: 12, extra: [1, 'a'] });
    // As the service returns it, once the response has arrived.
    await eventually(async () => (await field('extra').inputValue()) === '[\n  1,\n  "a"\n]');
    expect(await field('n').inputValue()).toBe('many');
    expect(visitor.errors).toEqual([]);
  });

  it('leads to the previous and the next row, and saves what was typed', async () => {
    const { page } = visitor;
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
    const name = (row: number): Locator => card(row).getByRole('textbox', { name: 'name' });
    expect(await button('Previous').isDisabled()).toBe(true);
    await button('Next').click();
    await name(2).fill('Second');
    await button('Next').click();
    await card(3).waitFor();
    await isNow(2, { name: 'Second' });
    await button('Previous').click();
    expect(await name(2).inputValue()).toBe('Second');
    await button('Close').click();
    await page.getByLabel('Go to row').fill('450');
    await button('Go').click();
    await button('Open row 450').click();
    expect(await name(450).inputValue()).toBe('Row 450');
    expect(await button('Next').isDisabled()).toBe(true);
    await card(450).getByText('450 of 450').waitFor();
    expect(visitor.errors).toEqual([]);
  });
});
