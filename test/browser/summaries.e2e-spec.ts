import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(240_000);

let signedIn: SignedIn;
let api: ApiClient;
let visitor: Visitor;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ api, visitor } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, [
    { key: 'name', type: 'text' },
    { key: 'amount', type: 'decimal' },
    { key: 'on', type: 'date' },
  ]);
  const rows = [1, 2, 3, 4].map((n) => ({
    values: { name: `Row ${String(n)}`, amount: `${String(n)}.50`, on: `2026-11-0${String(n)}` },
  }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  await signedIn.cell(1, 'name').getByText('Row 1').waitFor();
});

/** Fails a test whose page had a script error or a blocked script, or called another origin. */
afterEach(() => {
  expect([visitor.errors, visitor.foreignRequests]).toEqual([[], []]);
});

const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

const summary = (name: string): Locator =>
  visitor.page.getByRole('group', { name: 'Summaries' }).getByRole('button', { name, exact: true });

/** Chooses a function in the menu of a column. */
async function summarize(column: string, name: string): Promise<void> {
  const { page } = visitor;
  await button(`Options for ${column}`).click();
  await page.getByRole('menuitem', { name: 'Summarize' }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

it('The sum of a column is below it, follows filters and changes, and can be another function', async () => {
  await summarize('amount', 'Sum');
  await summary('amount: Sum 12.00').waitFor();
  const cell = await signedIn.cell(1, 'amount').boundingBox();
  const result = await summary('amount: Sum 12.00').boundingBox();
  expect(Math.abs((cell?.x ?? 0) - (result?.x ?? 0))).toBeLessThan(3);
  expect(result?.width).toBe(cell?.width);
  dataOf(await api.patch(`${path}/rows/4`, { values: { amount: '10.25' } }), 200);
  await summary('amount: Sum 17.75').waitFor();
  await visitor.page.getByLabel('Search').fill('Row 2');
  await visitor.page.keyboard.press('Enter');
  await summary('amount: Sum 2.50').waitFor();
  await summary('amount: Sum 2.50').click();
  await visitor.page.getByRole('menuitem', { name: 'Maximum', exact: true }).click();
  await summary('amount: Max 2.50').waitFor();
  await summary('amount: Max 2.50').click();
  await visitor.page.getByRole('menuitem', { name: 'None', exact: true }).click();
  await eventually(async () => {
    const bars = await visitor.page.getByRole('group', { name: 'Summaries' }).count();
    return bars === 0 || undefined;
  });
});

it('The functions of the columns are saved in a view', async () => {
  await summarize('amount', 'Average');
  await summarize('on', 'Minimum');
  await summary('amount: Avg 3').waitFor();
  expect(await violationsOn(visitor.page)).toEqual([]);
  await summary('on: Min Nov 1, 2026').waitFor();
  await button('View: All rows').click();
  await visitor.page.getByRole('menuitem', { name: 'Save as view…' }).click();
  await visitor.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Totals');
  await visitor.page.keyboard.press('Enter');
  await button('View: Totals').waitFor();
  const [view] = (await api.get(`${path}/views`)).body.data as { columns: unknown }[];
  expect(view?.columns).toEqual([
    { key: 'name' },
    { key: 'amount', summary: 'avg' },
    { key: 'on', summary: 'min' },
  ]);
  await visitor.page.reload();
  await summary('on: Min Nov 1, 2026').waitFor();
});
