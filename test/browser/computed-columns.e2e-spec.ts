import type { Locator } from 'playwright-core';
import type { ApiClient, Json } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let customers: string;
let orders: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

const idOf = (path: string): string => path.replace('/datagrids/', '');

beforeEach(async () => {
  const workspace = await newWorkspace(api);
  const stored: Json[] = [
    { key: 'name', type: 'text' },
    { key: 'city', type: 'text', title: 'City' },
  ];
  customers = await newDatagrid(api, stored, workspace);
  const names = ['Ada', 'Bob'].map((name) => ({ values: { name, city: `${name}ville` } }));
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
    const { page } = visitor;
    await signedIn.cell(1, 'customer').click({ position: { x: 3, y: 3 } });
    await page.keyboard.press('Enter');
    await page.getByRole('combobox').and(page.locator(':focus')).fill('Bob');
    await page.getByRole('option', { name: 'Bob' }).waitFor();
    await page.keyboard.press('Enter');
    await signedIn.cell(1, 'name').getByText('Bob').waitFor();
  });

  it('show numbers as their column does', async () => {
    dataOf(await api.post(`${customers}/columns`, { key: 'due', type: 'decimal' }), 201);
    dataOf(await api.patch(`${customers}/rows/1`, { values: { due: '2000.50' } }), 200);
    const due = { key: 'due', type: 'lookup', options: { link: 'customer', column: 'due' } };
    dataOf(await api.post(`${orders}/columns`, due), 201);
    await visitor.open(orders);
    await signedIn.cell(1, 'due').getByText('2,000.50', { exact: true }).waitFor();
  });

  it('do not make an edit of the link a change of others, also after a change of columns', async () => {
    const { page } = visitor;
    dataOf(await api.post(`${orders}/columns`, { key: 'more', type: 'text' }), 201);
    await visitor.sees('The columns have changed since');
    await page.getByRole('button', { name: 'Refresh the rows' }).click();
    await page.getByRole('button', { name: 'Options for more' }).waitFor();
    // The change arrives before the row that is read after it.
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/rows/1', async (route) => {
      if (route.request().method() === 'GET') await isReleased;
      await route.continue();
    });
    const inFeed = page.waitForResponse(
      async (response) =>
        response.url().includes('/changes?') && /"customer": ?2/.test(await response.text()),
    );
    await signedIn.cell(1, 'customer').click({ position: { x: 3, y: 3 } });
    await page.keyboard.press('Enter');
    await page.getByRole('combobox').and(page.locator(':focus')).fill('Bob');
    await page.getByRole('option', { name: 'Bob' }).waitFor();
    await page.keyboard.press('Enter');
    await inFeed;
    release();
    await signedIn.cell(1, 'name').getByText('Bob').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    dataOf(await api.post(`${orders}/rows`, { values: { note: 'theirs' } }), 201);
    await visitor.sees(/added, deleted or moved/);
    await visitor.sees('1 row was added, deleted or moved');
    expect(visitor.errors).toEqual([]);
  });

  it('offer neither sorts nor filters', async () => {
    const { page } = visitor;
    await page.locator('[role="columnheader"][col-id="name"] .column-header-menu').click();
    await page.getByRole('menuitem', { name: 'Hide' }).waitFor();
    expect(await page.getByRole('menuitem', { name: /sort|filter/i }).count()).toBe(0);
  });
});

describe('The form of a computed column', () => {
  const form = (): Locator => visitor.page.getByRole('dialog', { name: 'Add a column' });

  async function openForm(title: string, type: string): Promise<void> {
    await visitor.page.getByRole('button', { name: 'Add a column', exact: true }).click();
    await form().getByLabel('Title').fill(title);
    await form().getByText(type).click();
  }

  it('follows the only link column, asks for a column of the linked datagrid, and shows its values', async () => {
    const { page } = visitor;
    await openForm('Customer city', 'Lookup in linked rows');
    await form().getByLabel('Link column').and(page.locator('select')).waitFor();
    expect(await form().getByLabel('Link column').inputValue()).toBe('customer');
    await form().getByRole('button', { name: 'Add', exact: true }).click();
    await form().getByText('Choose a column.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // The keyboard is enough.
    await form().getByRole('combobox', { name: 'Column to show' }).fill('cit');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await form().getByRole('button', { name: 'Add', exact: true }).click();
    await signedIn.cell(1, 'customerCity').getByText('Adaville').waitFor();
    const column = dataOf(await api.get(`${orders}/columns/customerCity`), 200);
    expect(column).toMatchObject({
      title: 'Customer city',
      type: 'lookup',
      options: { link: 'customer', column: 'city' },
    });
    expect(visitor.errors).toEqual([]);
  });

  it('offers the links to the datagrid for a count, and says if a datagrid has none', async () => {
    const { page } = visitor;
    await visitor.open(customers);
    const { name } = dataOf(await api.get(orders), 200) as { name: string };
    const { name: own } = dataOf(await api.get(customers), 200) as { name: string };
    await openForm('Orders', 'Count of linking rows');
    const datagrid = form().getByRole('combobox', { name: 'Datagrid with the linking rows' });
    await datagrid.fill(own);
    await page.getByRole('option', { name: own }).click();
    await form().getByText(`No column of ${own} links to this datagrid.`).waitFor();
    await datagrid.fill(name);
    await page.getByRole('option', { name, exact: true }).click();
    await form().getByRole('combobox', { name: 'Link column to count' }).click();
    expect(await page.getByRole('option').allTextContents()).toEqual(['customer']);
    await page.getByRole('option', { name: 'customer' }).click();
    await form().getByRole('button', { name: 'Add', exact: true }).click();
    await signedIn.cell(1, 'orders').getByText('1').waitFor();
    await signedIn.cell(2, 'orders').getByText('0').waitFor();
    const { type, options } = dataOf(await api.get(`${customers}/columns/orders`), 200);
    expect(type).toBe('count');
    expect(options).toEqual({ datagridId: idOf(orders), column: 'customer' });
    expect(visitor.errors).toEqual([]);
  });

  it('shows what an existing column reads, without rules, and changes its title and key', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Options for name' }).click();
    await page.getByRole('menuitem', { name: 'Change column' }).click();
    const change = page.getByRole('dialog', { name: /^Change/ });
    const { name } = dataOf(await api.get(customers), 200) as { name: string };
    await change.getByRole('link', { name }).waitFor();
    expect(await change.getByRole('checkbox').count()).toBe(0);
    expect(await change.getByLabel('Default value').count()).toBe(0);
    await change.getByLabel('Title').fill('Customer');
    await change.getByLabel('Key').fill('customerName');
    await change.getByText(/requests can no longer use “.name.”/).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await change.getByRole('button', { name: 'Change the column' }).click();
    await signedIn.cell(1, 'customerName').getByText('Ada').waitFor();
    await change.waitFor({ state: 'hidden' });
    const column = dataOf(await api.get(`${orders}/columns/customerName`), 200);
    expect(column).toMatchObject({ title: 'Customer', options: { column: 'name' } });
    expect(visitor.errors).toEqual([]);
  });

  it('shows an error of the service at the field that it names', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await page.getByRole('menuitem', { name: 'Column settings' }).click();
    await page.getByRole('button', { name: 'Add a column' }).last().click();
    const dialog = page.getByRole('dialog', { name: 'New column' });
    await dialog.getByLabel('Title').fill('City');
    await dialog.getByLabel('Type').selectOption('lookup');
    await dialog.getByRole('combobox', { name: 'Column to show' }).click();
    await page.getByRole('option', { name: 'City (city)' }).click();
    // Somebody else removes the column meanwhile.
    expect((await api.delete(`${customers}/columns/city`)).status).toBe(204);
    await dialog.getByRole('button', { name: 'Add the column' }).click();
    await dialog.getByText('Is not a column of the linked datagrid.').waitFor();
    const field = dialog.getByRole('combobox', { name: 'Column to show' });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(visitor.errors.filter((error) => !error.includes('400'))).toEqual([]);
  });
});
