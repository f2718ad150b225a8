import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
/** Path of a datagrid with a row that was written three times. */
let path: string;

const dialog = (): Locator => visitor.page.getByRole('dialog');

const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

const patch = async (values: object): Promise<void> => {
  dataOf(await api.patch(`${path}/rows/1`, { values }), 200);
};

const values = async (): Promise<unknown> => dataOf(await api.get(`${path}/rows/1`), 200).values;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, [
    { key: 'note', title: 'Note', type: 'text' },
    { key: 'price', title: 'Price', type: 'decimal' },
  ]);
});

async function writeThreeTimes(): Promise<void> {
  dataOf(await api.patch(path, { history: true }), 200);
  dataOf(await api.post(`${path}/rows`, { values: { note: 'first', price: '1.10' } }), 201);
  await patch({ note: 'second' });
  await patch({ note: 'third', price: '3.30' });
}

/** Opens the page of the datagrid and the history of its row. */
async function openHistory(): Promise<void> {
  const following = visitor.page.waitForResponse((response) =>
    response.url().includes('cursor=latest'),
  );
  await visitor.open(path);
  await following;
  const cell = visitor.page.locator('[row-index="0"] [col-id="note"]');
  await cell.getByText(/first|third/).waitFor();
  await visitor.page.locator('[row-index="0"] input[type=checkbox]').first().check();
  await button('History').click();
  await dialog().getByRole('listitem').first().waitFor();
}

describe('the history of a row', () => {
  it('lists its writes with the values before and after, and restores one value', async () => {
    await writeThreeTimes();
    await openHistory();
    const [third, second, first] = await dialog().getByRole('listitem').allInnerTexts();
    expect(third).toMatch(
      /updated[\s\S]*You, with the key “.?test.?”, .*current[\s\S]*Note: second → third/i,
    );
    expect(third).toContain('Price: 1.10 → 3.30');
    expect(second).toContain('Note: first → second');
    expect(second).not.toContain('Price');
    expect(first).toMatch(/created[\s\S]*Note: first[\s\S]*Price: 1.10/i);

    await button('Restore Price to 1.10').click();
    await dialog().getByText('Price is restored.').waitFor();
    expect(await values()).toEqual({ note: 'third', price: '1.10' });
    await dialog().getByText('Price: 3.30 → 1.10').waitFor();
  });

  it('restores an earlier version of the row', async () => {
    await writeThreeTimes();
    await openHistory();
    await dialog().getByRole('button', { name: 'Restore this version' }).last().click();
    await dialog().getByText('The row is restored.').waitFor();
    expect(await values()).toEqual({ note: 'first', price: '1.10' });
  });

  it('does not overwrite a write that the user has not seen', async () => {
    await writeThreeTimes();
    await openHistory();
    await patch({ note: 'theirs' });
    await dialog().getByRole('button', { name: 'Restore this version' }).last().click();
    await dialog().getByText('The row has changed since.', { exact: false }).waitFor();
    await dialog().getByText('Note: third → theirs').waitFor();
    expect(await values()).toEqual({ note: 'theirs', price: '3.30' });
  });

  it('restores a deleted row with its id, from the list of changes', async () => {
    await writeThreeTimes();
    await openHistory();
    await visitor.page.keyboard.press('Escape');
    await button('Changes').click();
    dataOf(await api.post(`${path}/rows/delete`, { filter: {} }), 200);
    await button('History of the row with id 1').click();
    await dialog().getByRole('button', { name: 'Restore this version' }).first().click();
    await dialog().getByText('The row is restored.').waitFor();
    expect(await values()).toEqual({ note: 'third', price: '3.30' });
  });

  it('says that history is off, and an owner turns it on', async () => {
    dataOf(await api.post(`${path}/rows`, { values: { note: 'first' } }), 201);
    await openHistory();
    await dialog().getByText('History is off').waitFor();
    await button('Turn history on').click();
    await dialog().getByText('History is off').waitFor({ state: 'detached' });
    await eventually(async () => dataOf(await api.get(path), 200).history === true);
  });
});
