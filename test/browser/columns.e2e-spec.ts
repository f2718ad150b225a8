import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { DESKTOP, type Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

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

/** Opens the dialog that changes column `note` of a new datagrid with these texts. */
async function openChange(notes: readonly string[]): Promise<string> {
  const path = await newDatagrid(api, [{ key: 'note', type: 'text' }]);
  const rows = notes.map((note) => ({ values: { note } }));
  if (rows.length > 0) dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  await visitor.page.getByRole('button', { name: 'Options for note' }).click();
  await visitor.page.getByRole('menuitem', { name: 'Change column' }).click();
  return path;
}

/** Opens the dialog that changes a column on the page. */
async function changeOf(title: string): Promise<Locator> {
  const { page } = visitor;
  await page.getByRole('button', { name: `Options for ${title}` }).click();
  await page.getByRole('menuitem', { name: 'Change column' }).click();
  return page.getByRole('dialog', { name: /^Change/ });
}

async function openChangeOf(path: string, title: string): Promise<Locator> {
  await visitor.open(path);
  return changeOf(title);
}

/** Waits until the columns have these titles, from left to right. */
async function headersAre(...titles: readonly string[]): Promise<void> {
  await eventually(async () => {
    const headers = await visitor.page.locator('.column-header-title').all();
    const places = await Promise.all(
      headers.map(async (one) => ({
        title: await one.textContent(),
        left: (await one.boundingBox())?.x ?? 0,
      })),
    );
    const shown = places.sort((a, b) => a.left - b.left).map(({ title }) => title);
    return shown.join() === titles.join() || undefined;
  });
}

async function valuesOf(path: string): Promise<unknown[]> {
  const rows = dataOf(await api.get(`${path}/rows`), 200) as unknown as { values: object }[];
  return rows.map(({ values }) => values);
}

describe('the dialog that changes a column', () => {
  it('shows which texts become numbers and which become empty, and then converts them', async () => {
    const path = await openChange(['1', ' 20 ', 'abc']);
    const dialog = visitor.page.getByRole('dialog', { name: /^Change/ });
    await dialog.getByLabel('Type').selectOption('integer');
    await dialog.getByRole('button', { name: 'Preview the change' }).click();
    await dialog.getByText('2 values will be converted').waitFor();
    await dialog.getByText('Id 2: " 20 " → 20').waitFor();
    await dialog.getByText('1 value will become empty').waitFor();
    await dialog.getByText('Id 3: "abc" → empty').waitFor();
    expect(await valuesOf(path)).toEqual([{ note: '1' }, { note: ' 20 ' }, { note: 'abc' }]);
    await dialog.getByRole('button', { name: 'Convert the values' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await valuesOf(path)).toEqual([{ note: 1 }, { note: 20 }, {}]);
  });

  it('takes the choices of a select from the texts', async () => {
    const path = await openChange(['red', 'blue', 'red']);
    const dialog = visitor.page.getByRole('dialog', { name: /^Change/ });
    await dialog.getByLabel('Type').selectOption('select');
    await dialog.getByRole('button', { name: 'Preview the change' }).click();
    await dialog.getByText('2 choices: red, blue').waitFor();
    await dialog.getByRole('button', { name: 'Convert the values' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { options } = dataOf(await api.get(`${path}/columns/note`), 200);
    expect(options).toEqual({ choices: ['red', 'blue'] });
    expect(await valuesOf(path)).toEqual([{ note: 'red' }, { note: 'blue' }, { note: 'red' }]);
  });
});

describe('a default value', () => {
  it('is set in the dialog of the column, and rows without a value get it', async () => {
    const path = await openChange([]);
    const dialog = visitor.page.getByRole('dialog', { name: /^Change/ });
    await dialog.getByLabel('Type').selectOption('integer');
    await dialog.getByLabel('Default value').fill('12.5');
    await dialog.getByRole('button', { name: 'Change the column' }).click();
    await dialog.getByText('Enter a whole number.').waitFor();
    await dialog.getByLabel('Default value').fill('12');
    await dialog.getByRole('button', { name: 'Change the column' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { defaultValue } = dataOf(await api.get(`${path}/columns/note`), 200);
    expect(defaultValue).toBe(12);
    await api.post(`${path}/rows`, { values: {} });
    expect(await valuesOf(path)).toEqual([{ note: 12 }]);
  });
});

describe('the check box “Ignore case”', () => {
  it('is offered for texts, and shows first which unique values would become equal', async () => {
    const path = await newDatagrid(api, [{ key: 'note', type: 'text', unique: true }]);
    const rows = ['Ada', 'ADA', 'Bob'].map((note) => ({ values: { note } }));
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
    const dialog = await openChangeOf(path, 'note');
    await dialog.getByLabel('Type').selectOption('url');
    expect(await dialog.getByLabel('Ignore case').count()).toBe(0);
    await dialog.getByLabel('Type').selectOption('text');
    await dialog.getByLabel('Ignore case').check();
    await dialog.getByRole('button', { name: 'Preview the change' }).click();
    await dialog.getByText('1 row conflicts with the change.').waitFor();
    await dialog.getByText('Id 2: "ADA"').waitFor();
    dataOf(await api.patch(`${path}/rows/2`, { values: { note: 'Eve' } }), 200);
    await dialog.getByRole('button', { name: 'Preview the change' }).click();
    await dialog.getByText('No row conflicts with the change.').waitFor();
    await dialog.getByRole('button', { name: 'Change the column' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { options } = dataOf(await api.get(`${path}/columns/note`), 200);
    expect(options).toEqual({ ignoreCase: true });
    const again = await openChangeOf(path, 'note');
    expect(await again.getByLabel('Ignore case').isChecked()).toBe(true);
    await again.getByLabel('Ignore case').uncheck();
    await again.getByRole('button', { name: 'Change the column' }).click();
    await again.waitFor({ state: 'hidden' });
    expect(dataOf(await api.get(`${path}/columns/note`), 200).options).toEqual({});
    expect(visitor.errors).toEqual([]);
  });
});

describe('the key of a column', () => {
  it('can change: rows, sort order and layout follow, and the previous key can be released', async () => {
    const { page } = visitor;
    const columns = ['note', 'size'].map((key) => ({ key, type: 'text', title: `The ${key}` }));
    const path = await newDatagrid(api, columns);
    const rows = ['b', 'a'].map((note) => ({ values: { note } }));
    dataOf(await api.post(`${path}/rows`, { rows }), 201);
    await visitor.open(`${path}?sort=note`);
    await page.getByRole('button', { name: 'Options for The note' }).click();
    await page.getByRole('menuitem', { name: 'Move right' }).click();
    await headersAre('The size', 'The note', 'Id');
    const dialog = await changeOf('The note');
    expect(await dialog.getByText('Requests can use the previous key').count()).toBe(0);
    await dialog.getByLabel('Key').fill('size');
    await dialog.getByRole('button', { name: 'Change the column' }).click();
    await dialog.getByText('Is already used by another column in this datagrid.').waitFor();
    await dialog.getByLabel('Key').fill('remark');
    await dialog.getByText(/previous key “.note.” for 90 days/).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change the column' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await signedIn.cell(1, 'remark').getByText('a').waitFor();
    await signedIn.cell(2, 'remark').getByText('b').waitFor();
    await headersAre('The size', 'The note', 'Id');
    const header = page.locator('[role="columnheader"][col-id="remark"]');
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    const release = await changeOf('The note');
    await release.getByText('Otherwise accepted until').waitFor();
    await release.getByLabel('Release note').check();
    expect(await violationsOn(page)).toEqual([]);
    await release.getByRole('button', { name: 'Change the column' }).click();
    await release.waitFor({ state: 'hidden' });
    const { previousKeys } = dataOf(await api.get(`${path}/columns/remark`), 200);
    expect(previousKeys).toBeUndefined();
    expect(visitor.errors.filter((error) => !error.includes('409'))).toEqual([]);
  });
});

describe('the icon of a column type', () => {
  it('is in the header, in the list of columns, in the settings and beside the field of the type', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, [
      { key: 'note', type: 'text' },
      { key: 'day', type: 'date' },
      { key: 'depth', type: 'decimal' },
    ]);
    await visitor.open(path);
    const icons = async (place: Locator): Promise<(string | null)[]> => {
      const all = await place.locator('.column-type-icon').all();
      return Promise.all(all.map((icon) => icon.getAttribute('data-type')));
    };
    await page.getByRole('button', { name: 'Options for depth' }).waitFor();
    expect(await icons(page.locator('.ag-header'))).toEqual(['text', 'date', 'decimal']);
    await page.getByTitle('day (date)', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    const list = page.getByRole('dialog', { name: 'Columns' });
    await list.getByRole('checkbox', { name: 'note', exact: true }).waitFor();
    expect(await icons(list)).toEqual(['text', 'date', 'decimal']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await page.getByRole('menuitem', { name: 'Column settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Column settings' });
    await settings.getByText('note').first().waitFor();
    expect(await icons(settings)).toEqual(['text', 'date', 'decimal']);
    await settings.getByRole('button', { name: 'Actions for day' }).click();
    await settings.getByRole('menuitem', { name: 'Change' }).click();
    const change = page.getByRole('dialog', { name: /^Change/ });
    expect(await icons(change)).toEqual(['date']);
    await change.getByLabel('Type').selectOption('text');
    expect(await icons(change)).toEqual(['text']);
    expect(visitor.errors).toEqual([]);
  });
});

describe('the header of the grid', () => {
  it('adds columns one after another with their title, type and Enter', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, []);
    await visitor.open(path);
    await page.getByRole('button', { name: 'Add a column', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add a column' });
    for (const [title, type] of [
      ['Name', 'text'],
      ['Depth (m)', 'integer'],
      ['Visited', 'boolean'],
    ] as const) {
      await form.getByLabel('Title').and(page.locator(':focus')).waitFor();
      await page.keyboard.type(title);
      await form.getByRole('radio', { name: type, exact: true }).check();
      await form.getByLabel('Title').press('Enter');
      await page.getByRole('button', { name: `Options for ${title}` }).waitFor();
    }
    const { columns } = dataOf(await api.get(path), 200) as {
      columns: { key: string; type: string }[];
    };
    expect(columns.map(({ key, type }) => `${key} ${type}`)).toEqual([
      'name text',
      'depthM integer',
      'visited boolean',
    ]);
    await form.getByLabel('Title').press('Escape');
    await form.waitFor({ state: 'hidden' });
    expect(visitor.errors).toEqual([]);
  });

  it('opens the form for new columns below its button, also once a column has moved it', async () => {
    const { page } = visitor;
    await visitor.open(await newDatagrid(api, [{ key: 'note', type: 'text' }]));
    const add = page.getByRole('button', { name: 'Add a column', exact: true });
    await add.click();
    const form = page.getByRole('dialog', { name: 'Add a column' });
    const isBelow = async (): Promise<true | undefined> => {
      const [button, box] = [await add.boundingBox(), await form.boundingBox()];
      if (!button || !box) return undefined;
      const gap = box.y - (button.y + button.height);
      const isBeside = box.x <= button.x && box.x + box.width >= button.x + button.width - 1;
      return (gap >= 0 && gap <= 24 && isBeside) || undefined;
    };
    await eventually(isBelow);
    // The last line can be used meanwhile.
    const line = await page.locator('[row-index="b-0"] [col-id="note"]').boundingBox();
    const box = await form.boundingBox();
    expect((line?.x ?? Infinity) + (line?.width ?? 0)).toBeLessThanOrEqual(box?.x ?? 0);
    await page.keyboard.type('Depth');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Options for Depth' }).waitFor();
    await eventually(isBelow);
    expect(visitor.errors).toEqual([]);
  });

  it('keeps the form for new columns away from the edges of the page', async () => {
    const { page } = visitor;
    const keys = Array.from({ length: 12 }, (_none, at) => `c${String(at)}`);
    await visitor.open(
      await newDatagrid(
        api,
        keys.map((key) => ({ key, type: 'text' })),
      ),
    );
    await page.getByRole('button', { name: 'Options for c0' }).waitFor();
    await page.locator('.ag-grid-viewport').evaluate((one) => {
      one.scrollLeft = one.scrollWidth;
    });
    await page.getByRole('button', { name: 'Add a column', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add a column' });
    await eventually(async () => {
      const box = await form.boundingBox();
      return (box !== null && box.x + box.width <= 1280 - 16) || undefined;
    });
    await page.keyboard.press('Escape');
    expect(visitor.errors).toEqual([]);
  });

  it.each([
    ['link', 900],
    ['lookup', 900],
    ['count', 768],
    ['select', 600],
  ])('stays on the screen with the fields of a %s column, %i px high', async (type, height) => {
    const { page } = visitor;
    const workspaceId = await newWorkspace(api);
    const other = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspaceId);
    const options = { datagridId: other.split('/').at(-1) };
    await visitor.page.setViewportSize({ width: 1280, height });
    await visitor.open(
      await newDatagrid(api, [{ key: 'site', title: 'Site', type: 'link', options }], workspaceId),
    );
    await page.getByRole('button', { name: 'Add a column', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add a column' });
    await form.locator(`input[value="${type}"]`).check();
    const submit = form.locator('[type="submit"]');
    const done = form.getByRole('button', { name: 'Done' });
    await eventually(async () => {
      const box = await form.boundingBox();
      const buttons = await Promise.all([submit.boundingBox(), done.boundingBox()]);
      const isInView = box && box.y >= 0 && box.y + box.height <= height;
      const areInside = buttons.every(
        (one) => one && box && one.x >= box.x && one.x + one.width <= box.x + box.width,
      );
      const areInView = buttons.every((one) => one && one.y >= 0 && one.y + one.height <= height);
      return isInView && areInside && areInView ? true : undefined;
    });
    await page.keyboard.press('Escape');
    await page.setViewportSize(DESKTOP);
    expect(visitor.errors).toEqual([]);
  });

  it('adds every column under its title if the next is typed before the response arrives', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, []);
    await visitor.open(path);
    const release = await visitor.hold('**/columns');
    // The main button of a datagrid without columns opens the same form as the last header.
    await page.getByRole('button', { name: 'Add columns' }).click();
    const form = page.getByRole('dialog', { name: 'Add a column' });
    await form.getByLabel('Title').and(page.locator(':focus')).waitFor();
    const titles = ['Site', 'Area', 'Depth', 'Owner', 'Visited', 'Remarks'];
    for (const title of titles) {
      await page.keyboard.type(title);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.type('Status');
    await form.getByRole('radio', { name: 'select', exact: true }).check();
    await form.getByLabel('Choices').fill('open\nclosed');
    await page.keyboard.press('Control+Enter');
    await release();
    await form.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Options for Status' }).waitFor();
    const { columns } = dataOf(await api.get(path), 200) as { columns: { title: string }[] };
    expect(columns.map(({ title }) => title)).toEqual([...titles, 'Status']);
    expect(visitor.errors).toEqual([]);
  });

  it('keeps a column that cannot be added, and what is typed meanwhile', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, [{ key: 'site', type: 'text' }]);
    await visitor.open(path);
    await page.getByRole('button', { name: 'Add a column', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add a column' });
    const title = form.getByLabel('Title');
    await title.and(page.locator(':focus')).waitFor();
    await title.press('Enter');
    await form.getByText('Enter a title.').waitFor();
    await page.keyboard.type('Site');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Area');
    const failure = form.getByRole('alert').filter({ hasText: '“Site” was not added' });
    await failure.waitFor();
    const toast = page.locator('.mantine-Notification-root');
    await toast.filter({ hasText: '“Site” was not added' }).waitFor();
    const within = '.mantine-Notification-root';
    expect(await violationsOn(page, { isContrastOnly: true, within })).toEqual([]);
    expect(await title.inputValue()).toBe('Area');
    expect(await failure.getByRole('button', { name: 'Change' }).isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Options for Area' }).waitFor();
    await failure.getByRole('button', { name: 'Change' }).click();
    await failure.waitFor({ state: 'hidden' });
    expect(await title.inputValue()).toBe('Site');
    await title.fill('Site name');
    await title.press('Enter');
    await page.getByRole('button', { name: 'Options for Site name' }).waitFor();
    expect(visitor.errors.filter((error) => !error.includes('409'))).toEqual([]);
  });

  it('keeps a typed title that could not be saved in its field, with the reason', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, [{ key: 'note', type: 'text' }]);
    await visitor.open(path);
    await page.route('**/columns/note', (route) =>
      route.fulfill({
        status: 503,
        json: { error: { code: 'unavailable', message: 'The server is overloaded.' } },
      }),
    );
    await page.locator('.column-header-title', { hasText: 'note' }).dblclick();
    const field = page.getByLabel('Title of note');
    await field.fill('Remarks');
    await page.keyboard.press('Enter');
    await visitor.sees('“note” was not renamed');
    expect(await field.inputValue()).toBe('Remarks');
    expect(await field.getAttribute('title')).toBe('The server is overloaded.');
    await page.getByLabel('Go to row').click();
    expect(await field.inputValue()).toBe('Remarks');
    await page.unroute('**/columns/note');
    await field.press('Enter');
    await page.locator('.column-header-title', { hasText: 'Remarks' }).waitFor();
    expect(dataOf(await api.get(`${path}/columns/note`), 200).title).toBe('Remarks');
  });

  it('renames a column in place, and keeps the title after Escape', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, [{ key: 'note', type: 'text' }]);
    dataOf(await api.post(`${path}/rows`, { values: { note: 'kept' } }), 201);
    await visitor.open(path);
    const title = (name: string): Locator =>
      page.locator('.column-header-title', { hasText: name });
    await title('note').dblclick();
    await page.getByLabel('Title of note').fill('Other');
    await page.keyboard.press('Escape');
    await title('note').dblclick();
    await page.getByLabel('Title of note').fill('Remarks');
    await page.keyboard.press('Enter');
    await title('Remarks').waitFor();
    const { columns } = dataOf(await api.get(path), 200) as { columns: object[] };
    expect(columns).toMatchObject([{ key: 'note', title: 'Remarks' }]);
    expect(visitor.errors).toEqual([]);
  });
});
