import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

/** More than an action can change. */
const ROWS = 1_100;

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
  path = await newDatagrid(api, [
    { key: 'n', type: 'integer', indexed: true },
    { key: 'note', type: 'text' },
  ]);
  const rows = Array.from({ length: ROWS }, (_, index) => ({ values: { n: index + 1 } }));
  for (let from = 0; from < ROWS; from += 500) {
    dataOf(await api.post(`${path}/rows`, { rows: rows.slice(from, from + 500) }), 201);
  }
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  await visitor.open(path);
  await signedIn.cell(1, 'n').getByText('1', { exact: true }).waitFor();
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const box = (row: number): Locator =>
  visitor.page.getByRole('checkbox', {
    name: `Select row ${row.toLocaleString('en')}`,
    exact: true,
  });
const all = (): Locator => visitor.page.getByRole('checkbox', { name: 'Select all rows' });
const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

async function goTo(row: number): Promise<void> {
  await visitor.page.getByLabel('Go to row').fill(String(row));
  await button('Go').click();
  await box(row).waitFor();
}

describe('the checkboxes of rows', () => {
  it('select and clear the rows between with Shift, downward and upward', async () => {
    await box(2).click();
    await box(6).click({ modifiers: ['Shift'] });
    await button('Delete 5 rows').waitFor();
    expect(await box(4).isChecked()).toBe(true);
    await box(4).click();
    await button('Delete 4 rows').waitFor();
    await box(2).click({ modifiers: ['Shift'] });
    await button('Delete 2 rows').waitFor();
    expect([await box(2).isChecked(), await box(5).isChecked()]).toEqual([false, true]);
  });

  it('select rows between that were never loaded', async () => {
    await box(2).click();
    await goTo(905);
    await box(905).click({ modifiers: ['Shift'] });
    await button('Delete 904 rows').waitFor();
    await goTo(450);
    expect(await box(450).isChecked()).toBe(true);
  });

  it('reject a range with more rows than one action can change', async () => {
    await box(2).click();
    await goTo(1_050);
    await box(1_050).click({ modifiers: ['Shift'] });
    await visitor.sees('Up to 1,000 rows can be selected at once, and this range has 1,049.');
    expect(await box(1_050).isChecked()).toBe(false);
    await button('Delete row').waitFor();
  });

  it('are toggled with Space', async () => {
    await signedIn.cell(1, ':number').click();
    await visitor.page.keyboard.press('ArrowLeft');
    await visitor.page.keyboard.press('ArrowLeft');
    await visitor.page.locator('[row-index="0"] [col-id=":check"]:focus').waitFor();
    await visitor.page.keyboard.press('Space');
    await button('Delete row').waitFor();
    await visitor.page.keyboard.press('Space');
    await button('Delete row').waitFor({ state: 'hidden' });
  });
});

describe('the bar of selected rows', () => {
  const bar = (): Locator => visitor.page.getByRole('group', { name: 'Selected rows' });

  it('has the actions for a selection and moves neither the grid nor Add row', async () => {
    const { page } = visitor;
    const places = async (): Promise<unknown[]> => {
      const grid = await page.locator('.row-table').boundingBox();
      return [grid, await button('Add row').boundingBox()];
    };
    const before = await places();
    await box(2).click();
    await bar().getByText('1 selected', { exact: true }).waitFor();
    await bar().getByRole('button', { name: 'History' }).waitFor();
    await box(4).click({ modifiers: ['Shift'] });
    await bar().getByText('3 selected', { exact: true }).waitFor();
    expect(await bar().getByRole('button').allTextContents()).toEqual(['Delete', 'Clear']);
    expect(await places()).toEqual(before);
  });

  it('clears the selection, and the focus returns to the rows', async () => {
    await box(2).click();
    await bar().getByRole('button', { name: 'Clear the selection' }).click();
    await bar().waitFor({ state: 'hidden' });
    expect(await box(2).isChecked()).toBe(false);
    await visitor.page.locator('.ag-cell:focus-within').waitFor();
  });
});

describe('the checkbox in the header', () => {
  const FILTER = `where=n:$gt:${String(ROWS - 250)}`;

  it('selects the first rows that an action can change, and says so', async () => {
    await all().click();
    await visitor.sees('The first 1,000 of 1,100 rows are selected.');
    await button('Delete 1000 rows').waitFor();
    expect(await all().and(visitor.page.locator(':indeterminate')).count()).toBe(1);
    await all().click();
    await button('Delete 1000 rows').waitFor({ state: 'hidden' });
  });

  it('selects all rows under the filter, which can then be deleted', async () => {
    const { page } = visitor;
    await box(1).click();
    await visitor.open(`${path}?${FILTER}`);
    await visitor.sees('250 rows');
    await all().click();
    await button('Delete 250 rows').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await eventually(
      async () => (await api.get(`${path}/rows?limit=1`)).body.meta.total === ROWS - 250,
    );
    await button('Delete 250 rows').waitFor({ state: 'hidden' });
    await visitor.sees('No rows match.');
  });

  it('is mixed while some rows are selected, which another search clears', async () => {
    await box(3).click();
    await all().and(visitor.page.locator(':indeterminate')).waitFor();
    await visitor.page.getByLabel('Search all text columns').fill('x');
    await visitor.page.keyboard.press('Enter');
    await visitor.sees('No rows match.');
    await button('Delete row').waitFor({ state: 'hidden' });
  });
});
