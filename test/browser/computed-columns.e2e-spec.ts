import type { ApiClient, Json } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// Starts a service, a database and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let orders: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

const idOf = (path: string): string => path.replace('/datagrids/', '');

beforeEach(async () => {
  const workspace = await newWorkspace(api);
  const customers = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspace);
  const names = ['Ada', 'Bob'].map((name) => ({ values: { name } }));
  dataOf(await api.post(`${customers}/rows`, { rows: names }), 201);
  const options = { datagridId: idOf(customers) };
  const columns: Json[] = [
    { key: 'customer', type: 'link', options },
    { key: 'name', type: 'lookup', options: { link: 'customer', column: 'name' } },
    { key: 'note', type: 'text' },
  ];
  orders = await newDatagrid(api, columns, workspace);
  dataOf(await api.post(`${orders}/rows`, { values: { customer: 1, note: 'x' } }), 201);
  await visitor.open(orders);
  await signedIn.cell(1, 'name').getByText('Ada').waitFor();
});

/** Types into a cell and waits until the row is saved. */
async function type(column: string, text: string): Promise<void> {
  const { page } = visitor;
  await signedIn.cell(1, column).click();
  await page.keyboard.press('Enter');
  await page.locator('.value-editor:focus').fill(text);
  await page.keyboard.press('Enter');
  await signedIn.cell(1, column).getByText(text).waitFor();
}

describe('Computed columns in the grid', () => {
  it('have no editor, and stay after an edit of another cell', async () => {
    const { page } = visitor;
    await signedIn.cell(1, 'name').dblclick();
    await page.keyboard.press('Enter');
    await page.keyboard.type('z');
    await page.keyboard.press('Delete');
    expect(await page.locator('.value-editor').count()).toBe(0);
    await type('note', 'new');
    const values = await eventually(async () => {
      const row = dataOf(await api.get(`${orders}/rows/1`), 200);
      const read = row.values as Record<string, unknown>;
      return read['note'] === 'new' && read;
    });
    expect(values).toEqual({ customer: 1, name: 'Ada', note: 'new' });
    expect(await signedIn.cell(1, 'name').textContent()).toBe('Ada');
  });

  it('show the new value after an edit of the link', async () => {
    await type('customer', '2');
    await signedIn.cell(1, 'name').getByText('Bob').waitFor();
  });

  it('offer neither sorts nor filters', async () => {
    const { page } = visitor;
    await page.locator('[role="columnheader"][col-id="name"] .column-header-menu').click();
    await page.getByRole('menuitem', { name: 'Hide' }).waitFor();
    expect(await page.getByRole('menuitem', { name: /sort|filter/i }).count()).toBe(0);
  });
});
