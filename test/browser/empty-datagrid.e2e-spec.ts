import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

const newCell = (column: string): Locator =>
  visitor.page.locator(`[row-index="b-0"] [col-id="${column}"]`);

async function valuesOf(path: string): Promise<unknown[]> {
  const { data } = (await api.get(`${path}/rows`)).body as { data: { values: object }[] };
  return data.map(({ values }) => values);
}

/** Types a row into the last line, and waits until it is stored as the only one. */
async function addRow(path: string, name: string): Promise<void> {
  await visitor.page.keyboard.type(name);
  await visitor.page.keyboard.press('Enter');
  await eventually(async () => ((await valuesOf(path)).length > 0 ? true : undefined));
  expect(await valuesOf(path)).toEqual([{ name }]);
}

const KEYS = [
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'],
  ...['Control+Home', 'Control+End', 'Control+ArrowUp', 'Control+ArrowDown', 'Control+ArrowLeft'],
  ...['Shift+ArrowUp', 'Shift+ArrowDown', 'Shift+End', 'Control+a', 'Shift+Space', 'Control+d'],
];

/** Runs in the page: where the focus is, as "header name" or "b-0 name". */
const FOCUS = `(() => {
  const cell = document.activeElement.closest('[col-id]');
  if (!cell) return document.activeElement.tagName;
  const row = cell.closest('[row-index]')?.getAttribute('row-index') ?? 'header';
  return row + ' ' + cell.getAttribute('col-id');
})()`;

/** Reads of rows before the first one are 400. */
const rejected: string[] = [];

describe('a datagrid without rows', () => {
  it('keeps the focus in its last line and headers with every key that moves', async () => {
    const { page } = visitor;
    page.on('response', (response) => {
      if (response.status() === 400) rejected.push(response.url());
    });
    const path = await newDatagrid(api, [
      { key: 'name', type: 'text' },
      { key: 'n', type: 'integer' },
    ]);
    await visitor.open(path);
    await visitor.sees('0 rows');
    const focus = new Map<string, unknown>();
    for (const key of KEYS) {
      await page.getByRole('button', { name: 'Add row' }).click();
      await newCell('name').locator('.value-editor:focus').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.value-editor').waitFor({ state: 'detached' });
      await eventually(async () => (await page.evaluate(FOCUS)) === 'b-0 name' || undefined);
      await page.keyboard.press(key);
      focus.set(key, await page.evaluate(FOCUS));
      // The next one starts at another place.
      await page.keyboard.press(key);
    }
    const isEnd = ['End', 'Shift+End'];
    const isUp = ['ArrowUp', 'Shift+ArrowUp', 'Control+ArrowUp'];
    expect(Object.fromEntries(focus)).toEqual(
      Object.fromEntries(
        KEYS.map((key) => {
          if (isUp.includes(key)) return [key, 'header name'];
          if (key === 'ArrowLeft') return [key, 'b-0 :number'];
          if (key === 'ArrowRight') return [key, 'b-0 n'];
          return [key, isEnd.includes(key) ? 'b-0 :id' : 'b-0 name'];
        }),
      ),
    );
    expect(rejected).toEqual([]);
    expect(await page.locator('.range-status').textContent()).toBe('');
    await newCell('name').click();
    await addRow(path, 'Anna');
    expect(visitor.errors).toEqual([]);
  });

  it('takes a row as soon as its columns are added', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, []);
    await visitor.open(path);
    await page.getByRole('button', { name: 'Add columns' }).click();
    const form = page.getByRole('dialog', { name: 'Add a column' });
    await form.getByLabel('Title').fill('name');
    await page.keyboard.press('Enter');
    await page.locator('.column-header-title').getByText('name').waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
    await eventually(async () => (await page.evaluate(FOCUS)) === 'b-0 name' || undefined);
    await addRow(path, 'Anna');
    expect(visitor.errors).toEqual([]);
  });
});
