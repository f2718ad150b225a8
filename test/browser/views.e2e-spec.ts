import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newView } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'amount', type: 'decimal' },
  { key: 'paid', type: 'boolean' },
  { key: 'note', type: 'text' },
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
  const rows = [1, 2, 3, 4].map((n) => ({
    values: {
      name: `Row ${String(n)}`,
      amount: `${String(n)}.50`,
      paid: n > 2,
      note: `Note ${String(n)}`,
    },
  }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const cell = (row: number, column: string): Locator => signedIn.cell(row, column);

const button = (name: string | RegExp): Locator =>
  visitor.page.getByRole('button', { name, exact: true });

async function choose(menu: string | RegExp, item: string): Promise<void> {
  await button(menu).click();
  await visitor.page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Runs in the page: returns the keys of the displayed columns from left to right. */
const DISPLAYED = `[...document.querySelectorAll('.ag-header-cell[col-id]')]
  .map((header) => [header.getBoundingClientRect().left, header.getAttribute('col-id')])
  .filter(([, id]) => /^[a-z]+$/.test(id)).sort(([a], [b]) => a - b).map(([, id]) => id).join()`;

const displays = (keys: string): Promise<unknown> =>
  eventually(async () => (await visitor.page.evaluate(DISPLAYED)) === keys || undefined);

const address = (): URL => new URL(visitor.page.url());

async function openGrid(query = ''): Promise<void> {
  await visitor.open(`${path}${query}`);
  await cell(1, 'name').getByText(/Row/).waitFor();
}

/** Filters to the paid rows, sorts by amount, hides a column, and moves another one to the left. */
async function arrange(): Promise<void> {
  await openGrid('?where=paid:$eq:true&sort=-amount');
  await cell(1, 'name').getByText('Row 4').waitFor();
  await choose('Options for note', 'Hide column');
  await choose('Options for amount', 'Move left');
  await displays('amount,name,paid');
}

async function saveAs(name: string): Promise<string> {
  await choose(/^View: /, 'Save as view…');
  await visitor.page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await visitor.page.getByRole('button', { name: 'Save', exact: true }).click();
  await button(`View: ${name}`).waitFor();
  return address().searchParams.get('view') ?? '';
}

it('saves a filter, a sort order, hidden columns and their order as a view, which a reload restores', async () => {
  await arrange();
  const id = await saveAs('Paid');
  expect(address().search).toBe(`?view=${id}`);
  const saved = dataOf(await api.get(`${path}/views/${id}`), 200);
  expect(saved).toMatchObject({
    ...{ name: 'Paid', filter: { paid: { $eq: true } }, sort: '-amount', q: null },
    columns: [{ key: 'amount' }, { key: 'name' }, { key: 'paid' }, { key: 'note', hidden: true }],
  });
  await visitor.page.reload();
  await cell(1, 'name').getByText('Row 4').waitFor();
  await displays('amount,name,paid');
  await visitor.sees('2 rows');
  await visitor.sees('paid is true');
  await button('View: Paid').waitFor();
});

it('marks a changed view, and updates it or discards the changes', async () => {
  const query = { filter: { paid: true }, sort: 'name' };
  const id = await newView(api, path, { name: 'Paid', ...query });
  await openGrid(`?view=${id}`);
  await cell(1, 'name').getByText('Row 3').waitFor();
  await choose('Options for amount', 'Sort descending');
  await cell(1, 'name').getByText('Row 4').waitFor();
  await choose('Options for note', 'Add to sort');
  await button('Change the sort order of note, ↑2').waitFor();
  expect(await violationsOn(visitor.page)).toEqual([]);
  await choose('View: Paid, with unsaved changes', 'Discard changes');
  await cell(1, 'name').getByText('Row 3').waitFor();
  await button('View: Paid').waitFor();
  await choose('Options for name', 'Hide column');
  await choose('View: Paid, with unsaved changes', 'Update view…');
  await visitor.page.getByRole('button', { name: 'Save', exact: true }).click();
  await button('View: Paid').waitFor();
  const saved = dataOf(await api.get(`${path}/views/${id}`), 200);
  expect(saved).toMatchObject({ filter: { paid: { $eq: true } }, sort: 'name' });
  expect(saved.columns).toContainEqual({ key: 'name', hidden: true });
});

it('returns to the rows before a filter and before a view with Back', async () => {
  const id = await newView(api, path, { name: 'Paid', filter: { paid: true } });
  await openGrid();
  await choose('View: All rows', 'Paid');
  await visitor.sees('2 rows');
  await visitor.page.getByLabel('Search all text columns').fill('Row 3');
  await visitor.page.keyboard.press('Enter');
  await visitor.sees('1 row');
  await button('View: Paid, with unsaved changes').waitFor();
  await visitor.page.goBack();
  await visitor.sees('2 rows');
  expect(address().search).toBe(`?view=${id}`);
  await visitor.page.goBack();
  await visitor.sees('4 rows');
  await button('View: All rows').waitFor();
});

it('copies and pastes cells in the displayed order, without hidden columns', async () => {
  await arrange();
  await cell(1, 'amount').click();
  await cell(2, 'paid').click({ modifiers: ['Shift'] });
  await visitor.page.keyboard.press('Control+c');
  await eventually(async () => {
    const copied = await visitor.page.evaluate<string>('navigator.clipboard.readText()');
    return copied.trimEnd() === '4.50\tRow 4\ttrue\n3.50\tRow 3\ttrue' || undefined;
  });
  await visitor.page.evaluate(`navigator.clipboard.writeText('7.25\\tPasted')`);
  await cell(2, 'amount').click();
  await visitor.page.keyboard.press('Control+v');
  await eventually(async () => {
    const { values } = dataOf(await api.get(`${path}/rows/3`), 200);
    const { amount, name, note } = values as Record<string, unknown>;
    return [amount, name, note].join() === '7.25,Pasted,Note 3' || undefined;
  });
});

it('keeps the order, the widths and the pinned columns of a datagrid without a view', async () => {
  await openGrid();
  const header = (key: string): Locator => visitor.page.locator(`.ag-header-cell[col-id="${key}"]`);
  await header('note').getByText('note').hover();
  await visitor.page.mouse.down();
  const target = await header('name').boundingBox();
  const [x, y] = [(target?.x ?? 0) + 10, (target?.y ?? 0) + 15];
  await visitor.page.mouse.move(x + 200, y, { steps: 5 });
  await visitor.page.mouse.move(x, y, { steps: 10 });
  await visitor.page.mouse.up();
  await displays('note,name,amount,paid');
  const edge = header('amount').locator('.ag-header-cell-resize');
  const before = (await header('amount').boundingBox())?.width ?? 0;
  await edge.hover();
  await visitor.page.mouse.down();
  const place = await edge.boundingBox();
  await visitor.page.mouse.move((place?.x ?? 0) + 62, y, { steps: 5 });
  await visitor.page.mouse.up();
  await choose('Options for paid', 'Pin to the left');
  await displays('paid,note,name,amount');
  const width = Math.round((await header('amount').boundingBox())?.width ?? 0);
  expect(width).toBeGreaterThan(before + 30);
  await visitor.page.reload();
  await displays('paid,note,name,amount');
  expect(Math.round((await header('amount').boundingBox())?.width ?? 0)).toBe(width);
  await button('Columns').click();
  await visitor.page.getByRole('checkbox', { name: 'name' }).uncheck();
  await displays('paid,note,amount');
  await button('Reset').click();
  await displays('name,amount,paid,note');
});

it('cuts a long name of a view off, so that the toolbar stays on one line', async () => {
  const name = `Orders of ${'a very long '.repeat(6)}year`;
  const id = await newView(api, path, { name });
  const toolbar = visitor.page.getByRole('group', { name: 'Rows' });
  await openGrid('');
  const before = (await toolbar.boundingBox())?.height;
  await openGrid(`?view=${id}`);
  await button(`View: ${name}`).waitFor();
  expect(await button(`View: ${name}`).getAttribute('title')).toBe(name);
  expect((await toolbar.boundingBox())?.height).toBe(before);
});

it('shows the call of the view in the API drawer', async () => {
  const id = await newView(api, path, { name: 'Paid', filter: { paid: true } });
  await openGrid(`?view=${id}`);
  await button('API').click();
  await visitor.sees(new RegExp(`view=${id}`));
  await button('Run: List the rows on the screen').click();
  await visitor.sees(/^200 · \d+ ms$/);
  const response = visitor.page.getByLabel('Response: List the rows on the screen');
  const { data, meta } = (await api.get(`${path}/rows?view=${id}&limit=100`)).body;
  expect(JSON.parse((await response.textContent()) ?? '')).toEqual({ data, meta });
});

it('says that a view names a removed column, and shows no other rows', async () => {
  const id = await newView(api, path, { name: 'Paid', filter: { paid: true } });
  dataOf(await api.get(`${path}/rows?view=${id}`), 200);
  expect((await api.delete(`${path}/columns/paid`)).status).toBe(204);
  await visitor.open(`${path}?view=${id}`);
  await visitor.sees('The view "Paid" filters or sorts by the column "paid", which was removed.');
  expect(await visitor.page.getByText('Row 1').count()).toBe(0);
});

it('keeps the groups of a filter, and a condition that the dialog cannot edit', async () => {
  const filter = { $or: [{ name: 'Row 1' }, { $not: { amount: { $lt: '4' } } }] };
  const id = await newView(api, path, { name: 'Ends', filter });
  await openGrid(`?view=${id}`);
  await visitor.sees('Any of:');
  await visitor.sees('name is Row 1');
  await visitor.sees('2 rows');
  await choose('Options for name', 'Sort descending');
  await cell(1, 'name').getByText('Row 4').waitFor();
  await visitor.sees('2 rows');
  await choose('View: Ends, with unsaved changes', 'Update view…');
  await visitor.page.getByRole('button', { name: 'Save', exact: true }).click();
  await button('View: Ends').waitFor();
  const saved = dataOf(await api.get(`${path}/views/${id}`), 200);
  const same = { $or: [{ name: { $eq: 'Row 1' } }, { $not: { amount: { $lt: '4' } } }] };
  expect(saved).toMatchObject({ filter: same, sort: '-name' });
});

it('saves the groups and the colors of a view', async () => {
  const status = { key: 'status', type: 'select', options: { choices: ['open', 'done'] } };
  dataOf(await api.post(`${path}/columns`, status), 201);
  for (const row of [1, 2]) {
    const values = { status: row === 1 ? 'done' : 'open' };
    dataOf(await api.patch(`${path}/rows/${String(row)}`, { values }), 200);
  }
  await openGrid();
  await choose('Options for status', 'Group by this column');
  await choose('Options for status', 'Color rows by this column');
  const panel = visitor.page.getByRole('region', { name: 'Grouped by status' });
  const texts = (): Promise<string[]> => panel.getByRole('row').allInnerTexts();
  await eventually(async () => (await texts()).length === 4 || undefined);
  expect((await texts()).map((text) => text.split(/\s*\t\s*/))).toEqual([
    ['All groups', 'Rows', 'Sum of amount'],
    ['open', '1', '2.50'],
    ['done', '1', '1.50'],
    ['(no value)', '2', '8.00'],
  ]);
  await panel.getByRole('button', { name: 'done' }).click();
  await visitor.sees('1 row');
  await cell(1, 'name').getByText('Row 1').waitFor();
  expect(await stripeOf(0)).toBe('1');
  await visitor.sees('Group: done');
  const id = await saveAs('By status');
  expect(dataOf(await api.get(`${path}/views/${id}`), 200)).toMatchObject({
    ...{ filter: null, groupBy: 'status', colorBy: 'status' },
  });
  await visitor.page.reload();
  await visitor.sees('4 rows');
  await panel.getByRole('button', { name: '(no value)' }).click();
  await visitor.sees('2 rows');
  await button('View: By status').waitFor();
  expect(await stripeOf(0)).toBe('');
  await panel.getByRole('button', { name: 'All groups' }).click();
  await visitor.sees('4 rows');
  await eventually(async () => (await stripeOf(1)) === '0' || undefined);
  dataOf(await api.patch(`${path}/rows/3`, { values: { status: 'open' } }), 200);
  await eventually(async () => (await stripeOf(2)) === '0' || undefined);
  await eventually(async () => (await texts())[1]?.includes('6.00') === true || undefined);
  await button('Close the groups').click();
  await button('View: By status, with unsaved changes').waitFor();
  expect(await panel.count()).toBe(0);
});

it('groups times by month and by other periods, shows the rows of one, and saves the period', async () => {
  dataOf(await api.post(`${path}/columns`, { key: 'at', type: 'datetime' }), 201);
  const times = ['2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00Z', '2026-11-30T23:30:00Z'];
  for (const [index, at] of times.entries()) {
    const row = `${path}/rows/${String(index + 1)}`;
    dataOf(await api.patch(row, { values: { at } }), 200);
  }
  await openGrid();
  const groupBy = async (period: string): Promise<void> => {
    await choose('Options for at', 'Group by this column');
    await visitor.page.getByRole('menuitem', { name: period, exact: true }).click();
  };
  await groupBy('Month');
  const panel = visitor.page.getByRole('region', { name: 'Grouped by at' });
  const lists = (...groups: string[][]): Promise<unknown> =>
    eventually(async () => {
      const [, ...rows] = await panel.getByRole('row').allInnerTexts();
      const shown = rows.map((text) => text.split(/\s*\t\s*/));
      return JSON.stringify(shown) === JSON.stringify(groups) || undefined;
    });
  const october = ['October 2026', '1', '1.50'];
  const november = ['November 2026', '2', '6.00'];
  const none = ['(no value)', '1', '4.50'];
  await lists(october, november, none);
  await panel.getByRole('button', { name: 'November 2026' }).click();
  await visitor.sees('2 rows');
  await cell(1, 'name').getByText('Row 2').waitFor();
  await cell(2, 'name').getByText('Row 3').waitFor();
  expect(address().search).toBe('?group=at&by=month&in=%222026-11-01%22');
  await visitor.sees('Grouped by at: Month');
  await visitor.sees('Group: November 2026');
  await panel.getByLabel('Period').selectOption('Quarter');
  await lists(['Q4 2026', '3', '7.50'], none);
  await visitor.sees('4 rows');
  await panel.getByLabel('Period').selectOption('Week');
  await lists(['Week of Oct 26, 2026', '2', '4.00'], ['Week of Nov 30, 2026', '1', '3.50'], none);
  await visitor.page.goBack();
  await visitor.page.goBack();
  await visitor.sees('2 rows');
  await lists(october, november, none);
  const id = await saveAs('By month');
  expect(dataOf(await api.get(`${path}/views/${id}`), 200)).toMatchObject({
    ...{ filter: null, groupBy: 'at', groupBucket: 'month' },
  });
  await choose('View: By month', 'All rows');
  await visitor.sees('4 rows');
  await eventually(async () => (await panel.count()) === 0 || undefined);
  await choose('View: All rows', 'By month');
  await lists(october, november, none);
  expect(address().search).toBe(`?view=${id}`);
  await panel.getByRole('button', { name: 'October 2026' }).click();
  await visitor.sees('1 row');
  await button('View: By month').waitFor();
  await button('Options for at').click();
  const item = visitor.page.getByRole('menuitem', { name: 'Group by this column', exact: true });
  await item.press('Enter');
  await visitor.page.locator('[role="menuitem"]:focus', { hasText: 'Day' }).waitFor();
  await visitor.page.keyboard.press('End');
  await visitor.page.keyboard.press('Enter');
  await lists(['2026', '3', '7.50'], none);
  await choose('View: By month, with unsaved changes', 'Discard changes');
  await lists(october, november, none);
  await choose('Options for at', 'Do not group');
  await eventually(async () => (await panel.count()) === 0 || undefined);
});

/** Returns the number of the color of a row, by its index, if the stripe is drawn. */
async function stripeOf(row: number): Promise<string> {
  return visitor.page.evaluate<string>(`(() => {
    const row = document.querySelector('.ag-row[row-index="${String(row)}"]');
    const pinned = row.querySelector('.ag-grid-pinned-left-cells');
    const { content, width } = getComputedStyle(pinned, '::after');
    const color = /choice-color-(\\d+)/.exec(row.className)?.[1] ?? '';
    return (content !== 'none' && width === '4px') === (color !== '') ? color : 'wrong';
  })()`);
}

it('renames and deletes a view', async () => {
  const id = await newView(api, path, { name: 'Paid', filter: { paid: true } });
  await openGrid(`?view=${id}`);
  await choose('View: Paid', 'Rename view…');
  await visitor.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Settled');
  await visitor.page.getByRole('button', { name: 'Save', exact: true }).click();
  await choose('View: Settled', 'Delete view…');
  await visitor.page.getByRole('button', { name: 'Delete view', exact: true }).click();
  await button('View: All rows').waitFor();
  await visitor.sees('4 rows');
  expect((await api.get(`${path}/views/${id}`)).status).toBe(404);
});
