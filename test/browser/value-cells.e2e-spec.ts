import { eventually } from '../support/eventually';
import type { ApiClient } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

it('draws choices as chips, toggles a checkbox with a click, and links only to safe addresses', async () => {
  const choices = { options: { choices: ['red', 'dark blue'] } };
  const path = await newDatagrid(api, [
    { key: 'done', type: 'boolean' },
    { key: 'one', type: 'select', ...choices },
    { key: 'many', type: 'multiSelect', ...choices },
    { key: 'site', type: 'url' },
    { key: 'mail', type: 'email' },
    { key: 'note', type: 'text' },
  ]);
  const values = {
    done: false,
    one: 'red',
    many: ['red', 'dark blue'],
    site: 'https://example.com/a?b=c',
    mail: 'ada@example.com',
    note: 'https://example.com/',
  };
  dataOf(await api.post(`${path}/rows`, { values }), 201);
  await visitor.open(path);
  const chips = (column: string): Promise<string[]> =>
    signedIn.cell(1, column).locator('.cell-chip').allTextContents();
  await signedIn.cell(1, 'one').locator('.cell-chip').waitFor();
  expect([await chips('one'), await chips('many')]).toEqual([['red'], ['red', 'dark blue']]);
  const links = await visitor.page.evaluate<string[]>(
    `[...document.querySelectorAll('.ag-row a')].map(({ href, rel }) => href + ' ' + rel)`,
  );
  expect(links).toEqual([
    'https://example.com/a?b=c noopener noreferrer',
    'mailto:ada@example.com noopener noreferrer',
  ]);
  await signedIn.cell(1, 'done').locator('.cell-checkbox').click();
  await eventually(async () => {
    const row = dataOf(await api.get(`${path}/rows/1`), 200) as { values: { done: boolean } };
    return row.values.done || undefined;
  });
  await signedIn.cell(1, 'done').locator('.cell-checkbox[data-on="true"]').waitFor();
  dataOf(await api.patch(`${path}/rows/1`, { values: { done: null } }), 200);
  await signedIn.cell(1, 'done').locator('.cell-checkbox[data-on=""]').click();
  await signedIn.cell(1, 'done').locator('.cell-checkbox[data-on="true"]').waitFor();
  expect(visitor.errors).toEqual([]);
});

it('shows the whole text of a cell that is cut off as its tooltip', async () => {
  const path = await newDatagrid(api, [{ key: 'note', type: 'text' }]);
  const long = 'a note that is longer than its cell '.repeat(5).trim();
  const rows = [{ values: { note: long } }, { values: { note: 'short' } }];
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  const tooltipOf = async (row: number): Promise<string | null> => {
    await signedIn.cell(row, 'note').hover();
    return signedIn.cell(row, 'note').getAttribute('title');
  };
  await signedIn.cell(2, 'note').getByText('short').waitFor();
  expect([await tooltipOf(1), await tooltipOf(2)]).toEqual([long, null]);
});
