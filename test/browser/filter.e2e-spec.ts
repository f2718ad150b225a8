import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'size', type: 'integer' },
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
  const rows = [1, 2, 3, 4].map((n) => ({
    values: { name: `Row ${String(n)}`, size: n, day: `2026-11-0${String(n)}` },
  }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const dialog = (): Locator => visitor.page.getByRole('dialog', { name: 'Filter' });

const condition = (number: string): Locator =>
  dialog().getByRole('group', { name: `Condition ${number}`, exact: true });

const filterButton = (): Locator => visitor.page.getByRole('button', { name: /^Filter/ });

async function openFilter(query = ''): Promise<void> {
  await visitor.open(`${path}${query}`);
  await visitor.sees(/^\d rows?$/);
  await filterButton().click();
  await dialog().waitFor();
}

describe('the rows of another query', () => {
  const first = (): Locator => visitor.page.locator('.ag-row[row-index="0"] [col-id="name"]');

  it('are shown from the first one', async () => {
    const { page } = visitor;
    const rows = Array.from({ length: 396 }, (_, n) => ({
      values: { name: `More ${String(n)}`, size: n },
    }));
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
    await visitor.open(path);
    await first().getByText('Row 1').waitFor();
    const toEnd = async (): Promise<void> => {
      await page.locator('.ag-grid-viewport').evaluate((one) => {
        one.scrollTop = one.scrollHeight;
      });
      await first().waitFor({ state: 'detached' });
    };
    await toEnd();
    await page.getByRole('button', { name: 'Options for size' }).click();
    await page.getByRole('menuitem', { name: 'Sort descending' }).click();
    await first().getByText('More 395').waitFor();
    await toEnd();
    await page.getByRole('searchbox').fill('More');
    await page.keyboard.press('Enter');
    await visitor.sees('396 rows');
    await first().getByText('More 395').waitFor();
  });
});

async function fill(
  number: string,
  column: string,
  operator: string,
  value: string,
): Promise<void> {
  await condition(number).getByLabel('Column').selectOption(column);
  await condition(number).getByLabel('Condition', { exact: true }).selectOption(operator);
  await condition(number).getByLabel('Value').fill(value);
}

const press = (key: string): Promise<void> => visitor.page.keyboard.press(key);

const apply = (): Promise<void> =>
  dialog().getByRole('button', { name: 'Show these rows' }).click();

const focused = (): Promise<string> =>
  visitor.page.evaluate<string>(
    `document.activeElement.closest('[data-part]')?.dataset.part ?? ''`,
  );

it('builds a group of conditions by keyboard, and shows it again after a reload', async () => {
  await openFilter();
  await fill('1', 'size', 'is at least', '2');
  await dialog().getByRole('button', { name: 'Add a group' }).focus();
  await press('Enter');
  expect(await focused()).toBe('2.1');
  await fill('2.1', 'name', 'is', 'Row 1');
  await dialog().getByRole('button', { name: 'Add a condition to group 2' }).focus();
  await press('Space');
  expect(await focused()).toBe('2.2');
  await fill('2.2', 'name', 'is', 'Row 3');
  await dialog().getByRole('button', { name: 'Add a condition to group 2' }).focus();
  await press('Enter');
  await dialog().getByRole('button', { name: 'Remove condition 2.3' }).focus();
  await press('Enter');
  expect(await focused()).toBe('+2');
  await condition('2.2').getByLabel('Value').focus();
  await press('Enter');
  await visitor.sees('1 row');
  await visitor.sees('name is Row 1 or name is Row 3');
  expect(await filterButton().textContent()).toBe('Filter (3)');
  const { searchParams } = new URL(visitor.page.url());
  expect(JSON.parse(searchParams.get('filter') ?? '')).toEqual({
    $and: [
      { size: { $gte: 2 } },
      { $or: [{ name: { $eq: 'Row 1' } }, { name: { $eq: 'Row 3' } }] },
    ],
  });
  await visitor.page.reload();
  await visitor.sees('1 row');
  await filterButton().click();
  await dialog().getByLabel('Rows must match').first().selectOption('any of these');
  await apply();
  await visitor.sees('4 rows');
});

it('shows an invalid value at its field, and stays open until it is valid', async () => {
  await openFilter();
  await fill('1', 'size', 'is', 'abc');
  await apply();
  await condition('1').getByText('Enter an integer.').waitFor();
  const value = condition('1').getByLabel('Value');
  expect(await value.getAttribute('aria-invalid')).toBe('true');
  expect(await visitor.page.evaluate('document.activeElement.value')).toBe('abc');
  expect(new URL(visitor.page.url()).search).toBe('');
  await visitor.sees('4 rows');
  await value.fill('3');
  expect(await condition('1').getByText('Enter an integer.').count()).toBe(0);
  await dialog().getByRole('button', { name: 'Add a condition' }).click();
  await fill('2', 'day', 'is', '2026-02-30');
  await apply();
  await condition('2').getByText('Enter a date.').waitFor();
  await condition('2').getByLabel('Value').fill('2026-11-03');
  await apply();
  await dialog().waitFor({ state: 'detached' });
  await visitor.sees('1 row');
});

it('keeps a condition that it cannot edit, and removes it', async () => {
  const filter = JSON.stringify({ $and: [{ size: { $gt: 1 } }, { $not: { name: 'Row 4' } }] });
  await openFilter(`?filter=${encodeURIComponent(filter)}`);
  await dialog().getByText('{"$not":{"name":"Row 4"}}').waitFor();
  await condition('1').getByLabel('Value').fill('2');
  await apply();
  await visitor.sees('1 row');
  await filterButton().click();
  await dialog().getByRole('button', { name: 'Remove condition 2' }).click();
  await apply();
  await visitor.sees('2 rows');
});
