import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const COLUMNS = [
  { key: 'n', type: 'integer' },
  { key: 'note', type: 'text' },
];

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
/** Path of a datagrid with the rows 1 to 300, whose page is open. */
let path: string;

/** Returns a displayed cell by the position of its row, from 1, and its column. */
const cell = (number: number, column: string): Locator => signedIn.cell(number, column);

const patch = async (id: number, values: object): Promise<void> => {
  dataOf(await api.patch(`${path}/rows/${String(id)}`, { values }), 200);
};

const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

const panel = (): Locator => visitor.page.getByRole('region', { name: 'Changes' });

const valuesOf = async (id: number): Promise<unknown> =>
  dataOf(await api.get(`${path}/rows/${String(id)}`), 200).values;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, COLUMNS);
  const rows = Array.from({ length: 300 }, (_, index) => ({
    values: { n: index + 1, note: `Row ${String(index + 1)}` },
  }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  const following = visitor.page.waitForResponse((response) =>
    response.url().includes('cursor=latest'),
  );
  await visitor.open(path);
  await cell(1, 'note').getByText('Row 1', { exact: true }).waitFor();
  await following;
});

async function openEditor(row: number, column: string): Promise<void> {
  await cell(row, column).dblclick();
  await visitor.page.locator('.value-editor:focus').waitFor();
}

async function type(text: string): Promise<void> {
  await visitor.page.keyboard.press('Control+A');
  await visitor.page.keyboard.type(text);
  await visitor.page.keyboard.press('Enter');
}

describe('changes of others in the grid', () => {
  it('appear in the loaded rows, and an edit after them is no conflict', async () => {
    await patch(2, { note: 'theirs' });
    await cell(2, 'note').getByText('theirs').waitFor();
    await openEditor(2, 'note');
    await type('mine');
    await eventually(async () => {
      const { note } = (await valuesOf(2)) as { note: string };
      return note === 'mine' || undefined;
    });
    expect(await visitor.page.getByRole('dialog').count()).toBe(0);
    expect(visitor.errors).toEqual([]);
  });

  it('do not touch a row whose cell is edited, and both changes of other columns are kept', async () => {
    await openEditor(3, 'note');
    await patch(3, { n: 33 });
    // The next change shows that the one before has arrived.
    await patch(4, { n: 44 });
    await cell(4, 'n').getByText('44').waitFor();
    expect(await cell(3, 'n').textContent()).toBe('3');
    await type('mine');
    await cell(3, 'n').getByText('33').waitFor();
    await eventually(async () => {
      const { note } = (await valuesOf(3)) as { note: string };
      return note === 'mine' || undefined;
    });
    expect(await valuesOf(3)).toEqual({ n: 33, note: 'mine' });
    expect(await visitor.page.getByRole('dialog').count()).toBe(0);
  });

  it('are marked at their cells, with the name of the key', async () => {
    const { key } = dataOf(await api.get('/me'), 200) as { key: { name: string } };
    await patch(2, { note: 'theirs' });
    const label = visitor.page.getByText(
      /^You, with the key .+ changed note of the row with id 2$/,
    );
    expect(await label.textContent()).toContain(key.name);
    const marked = visitor.page.locator('.ag-cell-data-changed');
    expect(await marked.evaluateAll((cells) => cells.map((one) => one.textContent))).toEqual([
      'theirs',
    ]);
    await marked.first().waitFor({ state: 'detached' });
    await label.waitFor({ state: 'detached' });
    expect(visitor.errors).toEqual([]);
  });

  it('merge with an edit of another column in another browser, without a dialog', async () => {
    const other = await signedIn.another();
    await other.open(path);
    await other.page.locator('[row-index="6"] [col-id="note"]').dblclick();
    await other.page.locator('.value-editor:focus').waitFor();
    await openEditor(7, 'n');
    await other.page.keyboard.press('Control+A');
    await other.page.keyboard.type('theirs');
    await other.page.keyboard.press('Enter');
    await eventually(async () => {
      const { note } = (await valuesOf(7)) as { note: string };
      return note === 'theirs' || undefined;
    });
    await type('77');
    await cell(7, 'note').getByText('theirs').waitFor();
    await other.page.locator('[row-index="6"] [col-id="n"]').getByText('77').waitFor();
    expect(await valuesOf(7)).toEqual({ n: 77, note: 'theirs' });
    for (const { page } of [visitor, other]) expect(await page.getByRole('dialog').count()).toBe(0);
    await other.leave();
  });

  it('are shown in a row after its edit was cancelled', async () => {
    await openEditor(5, 'note');
    await patch(5, { note: 'theirs' });
    await patch(6, { note: 'arrived' });
    await cell(6, 'note').getByText('arrived').waitFor();
    await visitor.page.keyboard.press('Escape');
    await cell(5, 'note').getByText('theirs').waitFor();
  });

  it('are announced if they move rows, until the rows are refreshed', async () => {
    dataOf(await api.post(`${path}/rows`, { values: { n: 301 } }), 201);
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    await visitor.sees('2 rows were added, deleted or moved since these rows were loaded.');
    await button('Refresh the rows').click();
    await cell(1, 'note').getByText('Row 2', { exact: true }).waitFor();
    expect(await button('Refresh the rows').count()).toBe(0);
    await patch(2, { note: 'still live' });
    await cell(1, 'note').getByText('still live').waitFor();
  });

  it('are announced if they may move rows of a sorted view', async () => {
    await visitor.open(`${path}?sort=-n`);
    await cell(1, 'n').getByText('300').waitFor();
    await patch(300, { n: 0 });
    await cell(1, 'n').getByText('0', { exact: true }).waitFor();
    await visitor.sees('1 row was added, deleted or moved since these rows were loaded.');
  });

  it('are announced if they concern columns', async () => {
    dataOf(await api.post(`${path}/columns`, { key: 'more', type: 'text' }), 201);
    await visitor.sees('The columns have changed since these rows were loaded.');
    await button('Refresh the rows').click();
    await visitor.page.getByRole('columnheader', { name: /more/ }).waitFor();
    await eventually(async () =>
      (await button('Refresh the rows').count()) === 0 ? true : undefined,
    );
  });
});

describe('the list of changes', () => {
  it('shows what changed and who did it, newest first, and leads to the rows', async () => {
    await button('Changes').click();
    await panel().getByText('Nothing has changed yet.').waitFor();
    await patch(2, { note: 'theirs' });
    await patch(290, { n: 2900 });
    expect((await api.delete(`${path}/rows/4`)).status).toBe(204);
    const items = panel().getByRole('listitem');
    await eventually(async () => ((await items.count()) === 3 ? true : undefined));
    const texts = await items.allTextContents();
    expect(texts[0]).toMatch(/^DeletedRow with id 4HistoryYou, with the key “.+”, /);
    expect(texts[1]).toMatch(
      /^ChangedRow with id 290HistoryThe row was not loaded before. It now has:n: 2900note: Row 290You, with the key “.+”, /,
    );
    expect(texts[2]).toMatch(
      /^ChangedRow with id 2Historynote: Row 2 → theirsYou, with the key “.+”, /,
    );
    // Neither row 290 nor its position is loaded. Row 4 was deleted before it.
    await panel().getByRole('button', { name: 'Row with id 290', exact: true }).click();
    await cell(289, 'note').getByText('Row 290', { exact: true }).waitFor();
    await panel().getByRole('button', { name: 'Row with id 2', exact: true }).click();
    await cell(2, 'note').getByText('theirs').waitFor();
    await button('Close the changes').click();
    expect(await panel().count()).toBe(0);
    expect(await visitor.page.evaluate('document.activeElement.textContent')).toBe('Changes');
    expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
  });

  it('names the user of another session', async () => {
    const other = await signedIn.another();
    await button('Changes').click();
    await other.open(path);
    await other.page.locator('[row-index="0"] [col-id="note"]').dblclick();
    await other.page.locator('.value-editor:focus').waitFor();
    await other.page.keyboard.press('Control+A');
    await other.page.keyboard.type('from another window');
    await other.page.keyboard.press('Enter');
    await cell(1, 'note').getByText('from another window').waitFor();
    await panel()
      .getByText(/^You, \d/)
      .waitFor();
    await other.leave();
  });
});
