import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// Starts a service, a database and a browser.
jest.setTimeout(240_000);

const ROWS = Array.from({ length: 19 }, (_, index) => ({
  name: `Item ${String(index + 1)}`,
  size: index + 1,
}));
const TYPES = ['text', 'integer', 'decimal', 'boolean', 'date', 'email'] as const;
/** Tabs from one part of a page to another, at most. */
const MAX_TABS = 60;

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

const focused = (target: Locator): Locator => target.and(visitor.page.locator(':focus'));

const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await visitor.page.keyboard.press(key);
};

/** Presses Tab until an element has the focus. */
async function tabTo(target: Locator): Promise<void> {
  await target.first().waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if ((await focused(target).count()) > 0) return;
    await press('Tab');
  }
  throw new Error('Tab does not reach the element.');
}

const form = (): Locator => visitor.page.getByRole('dialog', { name: 'Add a column' });

const columnsOf = async (path: string): Promise<string[]> => {
  const { columns } = dataOf(await api.get(path), 200) as {
    columns: { key: string; type: string }[];
  };
  return columns.map(({ key, type }) => `${key} ${type}`);
};

it('A datagrid with columns and 19 rows of 2 fields is made with the keyboard alone, with 2 keys beyond the text of each row', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Demo' }).first().waitFor();
  await tabTo(page.getByRole('main').getByRole('link', { name: 'Demo' }));
  await press('Enter');
  await tabTo(page.getByRole('button', { name: 'New datagrid', exact: true }));
  await press('Enter');
  await focused(page.getByLabel('Name')).waitFor();
  await page.keyboard.type('With the keyboard');
  await press('Enter');
  await page.waitForURL(/\/datagrids\//);
  const path = new URL(page.url()).pathname;

  await tabTo(page.locator('.ag-header-cell'));
  await press('ArrowRight', 'ArrowRight', 'Enter');
  await focused(form().getByLabel('Title')).waitFor();
  await page.keyboard.type('Name');
  await press('Enter');
  await page.getByRole('button', { name: 'Options for Name' }).waitFor();
  await focused(form().getByLabel('Title')).waitFor();
  await page.keyboard.type('Size');
  await press('Tab');
  // The list of types begins with text and integer.
  await press('ArrowDown', 'Shift+Tab', 'Enter');
  await page.getByRole('button', { name: 'Options for Size' }).waitFor();
  await press('Escape');
  expect(await columnsOf(path)).toEqual(['name text', 'size integer']);

  const cell = (column: string): Locator => page.locator(`[row-index="b-0"] [col-id="${column}"]`);
  await press('Tab');
  for (let steps = 0; steps < 4 && (await focused(cell('name')).count()) === 0; steps += 1) {
    await press('ArrowRight');
  }
  await focused(cell('name')).waitFor();
  let keys = 0;
  for (const { name, size } of ROWS) {
    await page.keyboard.type(name);
    await press('Tab');
    await page.keyboard.type(String(size));
    await press('Enter');
    keys += 2;
    await focused(cell('name')).waitFor();
  }
  expect(keys).toBe(2 * ROWS.length);
  const rows = await eventually(async () => {
    const { data } = (await api.get(`${path}/rows?limit=50`)).body as {
      data: { values: object }[];
    };
    return data.length === ROWS.length ? data.map(({ values }) => values) : undefined;
  });
  expect(rows).toEqual(ROWS);
  expect(visitor.errors).toEqual([]);
});

it('Twelve columns of six types take at most 20 clicks', async () => {
  const { page } = visitor;
  const path = await newDatagrid(api, []);
  await visitor.open(path);
  await page.evaluate(
    `window.clicks = 0; document.addEventListener('click', ({ isTrusted, detail }) => {
       if (isTrusted && detail > 0) window.clicks += 1;
     }, true);`,
  );
  await page.getByRole('button', { name: 'Add a column', exact: true }).click();
  let choices = 0;
  for (const [index, type] of TYPES.entries()) {
    for (const part of ['first', 'second']) {
      const title = `${part} ${type}`;
      await focused(form().getByLabel('Title')).waitFor();
      await page.keyboard.type(title);
      if (part === 'first' && index > 0) {
        // One click opens the list of a select, and one chooses.
        await form().getByLabel('Type').selectOption(type);
        choices += 2;
        await form().getByLabel('Type').press('Enter');
      } else await press('Enter');
      await page.getByRole('button', { name: `Options for ${title}` }).waitFor();
    }
  }
  await press('Escape');
  expect(await columnsOf(path)).toHaveLength(12);
  const clicks = (await page.evaluate<number>('window.clicks')) + choices;
  expect(clicks).toBeLessThanOrEqual(20);
  expect(visitor.errors).toEqual([]);
});
