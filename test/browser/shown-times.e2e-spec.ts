import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newView } from '../support/fixture';
import { PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const FIRST = '2026-11-21T09:30:00.000Z';
const SECOND = '2026-11-22T10:00:05.250Z';
/** The same times as an American reads them. A narrow space is before AM. */
const SHOWN_FIRST = /^Nov 21, 2026, 9:30\sAM UTC$/;
const SHOWN_SECOND = /Nov 22, 2026, 10:00:05\sAM UTC/;

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
/** Path of a datagrid with one row. */
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, [
    { key: 'at', title: 'Opened', type: 'datetime' },
    { key: 'day', title: 'Day', type: 'date' },
  ]);
  dataOf(await api.patch(path, { history: true }), 200);
  dataOf(await api.post(`${path}/rows`, { values: { at: FIRST, day: '2026-11-21' } }), 201);
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const dialog = (): Locator => visitor.page.getByRole('dialog');

const open = async (): Promise<void> => {
  await visitor.open(path);
  await signedIn.cell(1, 'at').getByText(SHOWN_FIRST).waitFor();
};

it('shows dates and times in the grid as the reader writes them, and edits the exact text', async () => {
  await open();
  const at = signedIn.cell(1, 'at').locator('time');
  expect(await at.getAttribute('title')).toBe(FIRST);
  expect(await signedIn.cell(1, 'day').textContent()).toBe('Nov 21, 2026');
  // Nothing is cut off at the default width.
  expect(await at.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
  await signedIn.cell(1, 'at').dblclick();
  const editor = visitor.page.locator('.value-editor:focus');
  expect(await editor.inputValue()).toBe(FIRST);
  await editor.fill(SECOND);
  await visitor.page.keyboard.press('Enter');
  await signedIn.cell(1, 'at').getByText(SHOWN_SECOND).waitFor();
});

it('shows them in the history of a row and in the trash, with the exact text as a title', async () => {
  dataOf(await api.patch(`${path}/rows/1`, { values: { at: SECOND } }), 200);
  await visitor.open(path);
  await signedIn.cell(1, 'at').getByText(SHOWN_SECOND).waitFor();
  await visitor.page.locator('[row-index="0"] input[type=checkbox]').first().check();
  await visitor.page.getByRole('button', { name: 'History', exact: true }).click();
  const change = dialog().getByTitle(`${FIRST} → ${SECOND}`);
  expect(await change.textContent()).toMatch(/^Nov 21, .*UTC → Nov 22, .*UTC$/);
  await visitor.page.keyboard.press('Escape');
  expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
  await visitor.page.getByRole('button', { name: 'More actions for this datagrid' }).click();
  await visitor.page.getByRole('menuitem', { name: 'Deleted rows' }).click();
  expect(await dialog().getByTitle(SECOND).textContent()).toMatch(SHOWN_SECOND);
});

it('shows them in the card of a row on a phone, and takes the exact text and that of the reader', async () => {
  const phone = await signedIn.another();
  await phone.page.setViewportSize(PHONE);
  await phone.open(path);
  await phone.page.getByRole('button', { name: 'Open row 1', exact: true }).click();
  const field = phone.page.getByRole('dialog').getByRole('textbox', { name: 'Opened' });
  await eventually(async () => SHOWN_FIRST.test(await field.inputValue()) || undefined);
  expect(await field.getAttribute('title')).toBe(FIRST);
  await field.focus();
  expect(await field.inputValue()).toBe(FIRST);
  await field.fill('11/22/2026 10:00:05.25');
  await field.blur();
  await eventually(async () => SHOWN_SECOND.test(await field.inputValue()) || undefined);
  await eventually(
    async () =>
      (dataOf(await api.get(`${path}/rows/1`), 200).values as { at: string }).at === SECOND,
  );
  expect(phone.errors).toEqual([]);
  await phone.leave();
});

it('shows them on the page of a public link', async () => {
  const viewId = await newView(api, path, { name: 'Times' });
  const created = dataOf(await api.post(`${path}/views/${viewId}/link`, {}), 201);
  const reader = await signedIn.stranger();
  await reader.open(new URL((created as { url: string }).url).pathname);
  const time = reader.page.getByTitle(FIRST);
  expect(await time.textContent()).toMatch(SHOWN_FIRST);
  expect(await reader.page.getByTitle('2026-11-21', { exact: true }).textContent()).toBe(
    'Nov 21, 2026',
  );
  expect(reader.errors).toEqual([]);
  await reader.leave();
});
