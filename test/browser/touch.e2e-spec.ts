import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const TABLET = { width: 768, height: 1024 };
/** A phone on its side. */
const LANDSCAPE = { width: 740, height: 360 };

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/19.0 Mobile/15E148 Safari/604.1';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'amount', type: 'decimal' },
  { key: 'mail', type: 'email' },
  { key: 'page', type: 'url' },
  { key: 'day', type: 'date' },
  { key: 'extra', type: 'json' },
  { key: 'size', type: 'select', options: { choices: ['small', 'large'] } },
] as const;

let signedIn: SignedIn;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  path = await newDatagrid(signedIn.api, COLUMNS);
  const rows = Array.from({ length: 40 }, (_, at) => ({ values: { name: `Row ${at + 1}` } }));
  dataOf(await signedIn.api.post(`${path}/rows`, { rows }), 201);
});

afterAll(() => signedIn.leave());

const cell = (page: Page, row: number, column: string): Locator =>
  page.locator(`[row-index="${String(row - 1)}"] [col-id="${column}"]`);

/** Opens the datagrid, and waits for its rows. */
async function openGrid(visitor: Visitor): Promise<void> {
  await visitor.open(path);
  await cell(visitor.page, 1, 'name').getByText('Row 1').waitFor();
}

it.each([TABLET, LANDSCAPE])('opens a row as a card by touch, %o', async (view) => {
  const visitor = await signedIn.another({ view, isTouch: true });
  const { page } = visitor;
  await openGrid(visitor);
  // Two taps would magnify the page of an iPhone, and open no editor.
  const action = "getComputedStyle(document.querySelector('.row-table')).touchAction";
  expect(await page.evaluate(action)).toBe('manipulation');
  await cell(page, 2, 'name').tap();
  // No pointer stays where the finger was.
  await page.mouse.move(0, 0);
  await page.getByRole('button', { name: 'Open row 2', exact: true }).tap();
  await page.getByRole('dialog', { name: 'Row 2', exact: true }).waitFor();
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

it('undoes and redoes an edit of a cell without a keyboard', async () => {
  const visitor = await signedIn.another({ view: PHONE, isTouch: true });
  const { page } = visitor;
  await openGrid(visitor);
  const more = page.getByRole('button', { name: 'More actions for this datagrid' });
  const item = (name: string): Locator => page.getByRole('menuitem', { name, exact: true });
  await more.tap();
  expect([await item('Undo').isDisabled(), await item('Redo').isDisabled()]).toEqual([true, true]);
  await page.keyboard.press('Escape');
  const edited = cell(page, 4, 'name');
  await edited.dblclick();
  await page.locator('.value-editor:focus').fill('Changed');
  const save = await visitor.hold('**/rows/*');
  await page.keyboard.press('Enter');
  await edited.getByText('Changed').waitFor();
  await more.tap();
  expect(await item('Undo').isDisabled()).toBe(true);
  // The menu is open when the edit is saved.
  await save();
  await item('Undo').tap();
  await edited.getByText('Row 4').waitFor();
  await more.tap();
  await item('Redo').tap();
  await edited.getByText('Changed').waitFor();
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

/** Runs in the page: fields with letters so small that an iPhone magnifies the page around them. */
const SMALL = `[...document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=file]), textarea, select')]
  .filter((one) => one.getClientRects().length > 0 && parseFloat(getComputedStyle(one).fontSize) < 16)
  .map((one) => one.outerHTML)`;

/** Runs in the page: sizes of the letters of the hints in the fields of the toolbar. */
const HINTS = `[...document.querySelectorAll('.grid-toolbar input')]
  .map((one) => getComputedStyle(one, '::placeholder').fontSize)`;

/** Runs in the page: the pixels by which a line of the editor is higher than its cell. */
const OVERHANG = `(({ lineHeight }, { clientHeight }) => Math.floor(parseFloat(lineHeight) - clientHeight))(
  getComputedStyle(document.activeElement), document.activeElement)`;

it('has letters of 16 px in all fields on a touch screen', async () => {
  const visitor = await signedIn.another({ view: PHONE, isTouch: true });
  const { page } = visitor;
  await openGrid(visitor);
  expect(await page.evaluate(SMALL)).toEqual([]);
  // The hints in the narrow fields of the toolbar are whole.
  expect(await page.evaluate(HINTS)).toEqual(['12px', '12px']);
  await cell(page, 2, 'name').dblclick();
  await page.locator('.value-editor:focus').waitFor();
  expect(await page.evaluate(SMALL)).toEqual([]);
  expect(await page.evaluate(OVERHANG)).toBeLessThanOrEqual(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open row 3', exact: true }).tap();
  await page.getByRole('dialog').getByRole('textbox', { name: 'name', exact: true }).waitFor();
  expect(await page.evaluate(SMALL)).toEqual([]);
  // The colored text of a JSON field lies under what is typed.
  const [colored, typed] = await page.evaluate<string[]>(
    `['.json-editor pre', '.json-editor textarea'].map((one) => getComputedStyle(document.querySelector(one)).font)`,
  );
  expect(colored).toBe(typed);
  for (const address of ['/sign-in', '/profile/password', '/requests', '/workspaces']) {
    await visitor.open(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('input:visible, select:visible').first().waitFor();
    expect(await page.evaluate(SMALL)).toEqual([]);
  }
  await visitor.leave();
});

/** Runs in the page: what the keyboard of a phone does to the letters of each field of the card. */
const KEYBOARDS = `Object.fromEntries([...document.querySelectorAll('[role=dialog] :is(input, textarea)')]
  .filter((one) => one.labels?.[0])
  .map((one) => [
    one.labels[0].textContent,
    [one.inputMode, one.autocapitalize, one.getAttribute('autocorrect') ?? '', one.spellcheck].join(' '),
  ]))`;

it.each([
  ['any phone', undefined, 'decimal'],
  ['an iPhone, whose keyboard for decimals has no minus', IPHONE, 'text'],
])(
  'has the keyboard for each value, which changes only letters of texts, on %s',
  async (_phone, userAgent, forNumbers) => {
    const visitor = await signedIn.another({
      ...{ view: PHONE, isTouch: true },
      ...(userAgent !== undefined && { userAgent }),
    });
    const { page } = visitor;
    await openGrid(visitor);
    await page.getByRole('button', { name: 'Open row 3', exact: true }).tap();
    await page.getByRole('dialog').getByRole('textbox', { name: 'name', exact: true }).waitFor();
    expect(await page.evaluate(KEYBOARDS)).toMatchObject({
      name: '   true',
      amount: `${forNumbers} none off false`,
      mail: 'email none off false',
      page: 'url none off false',
      day: 'text none off false',
    });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await cell(page, 3, 'amount').dblclick();
    const editor = page.locator('.value-editor:focus');
    expect(await editor.getAttribute('inputmode')).toBe(forNumbers);
    expect(await editor.getAttribute('autocapitalize')).toBe('off');
    await visitor.leave();
  },
);

/** Runs in the page: the pixels of the name of the view that are cut off. */
const CUT_VIEW = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
  document.querySelector('.view-button-name'))`;

it('keeps what is typed into the search and in a cell when the screen turns', async () => {
  const visitor = await signedIn.another({ view: PHONE, isTouch: true });
  const { page } = visitor;
  const search = page.getByRole('searchbox', { name: 'Search all text columns' });
  await openGrid(visitor);
  await search.fill('Row 1');
  for (const view of [LANDSCAPE, PHONE]) {
    await page.setViewportSize(view);
    const isPhone = view === PHONE;
    await page
      .getByRole('button', { name: 'Refresh' })
      .waitFor({ state: isPhone ? 'hidden' : 'visible' });
    expect(await page.evaluate(CUT_VIEW)).toBe(0);
    expect(await search.inputValue()).toBe('Row 1');
    await search.and(page.locator(':focus')).waitFor();
  }
  await cell(page, 4, 'name').dblclick();
  const editor = page.locator('.value-editor:focus');
  await editor.fill('typed');
  await page.setViewportSize(LANDSCAPE);
  await page.getByRole('button', { name: 'Refresh' }).waitFor();
  expect(await editor.inputValue()).toBe('typed');
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

/** Runs in the page: whether the middle of the field with the focus is visible. */
const IS_SEEN = `(() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2) === document.activeElement;
})()`;

it('shows the field with the focus above a keyboard that makes the window smaller', async () => {
  const visitor = await signedIn.another({ view: PHONE, isTouch: true });
  const { page } = visitor;
  const small = { ...PHONE, height: 380 };
  await openGrid(visitor);
  await cell(page, 12, 'name').dblclick();
  await page.locator('.value-editor:focus').fill('typed');
  await page.setViewportSize(small);
  await eventually(() => page.evaluate(IS_SEEN));
  await page.keyboard.press('Escape');
  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'Open row 3', exact: true }).tap();
  const card = page.getByRole('dialog', { name: 'Row 3', exact: true });
  await card.getByRole('textbox', { name: 'page', exact: true }).tap();
  // Not under the buttons at the end of the card either.
  await page.setViewportSize(small);
  await eventually(() => page.evaluate(IS_SEEN));
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

/** Runs in the page: buttons in which a finger of 24 px does not fit. */
const NARROW = `[...document.querySelectorAll('button')]
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([one, { width }]) => width > 0 && one.tabIndex >= 0)
  .filter(([one, { left, top, width, height }]) => {
    const [x, y] = [left + width / 2, top + height / 2];
    const hits = (dx, dy) => one.contains(document.elementFromPoint(x + dx, y + dy));
    return hits(0, 0) && ![[-11, 0], [11, 0], [0, -11], [0, 11]].every(([dx, dy]) => hits(dx, dy));
  })
  .map(([one]) => one.outerHTML)`;

it('has buttons of at least 24 px on a touch screen', async () => {
  const visitor = await signedIn.another({ view: PHONE, isTouch: true });
  const { page } = visitor;
  await openGrid(visitor);
  expect(await page.evaluate(NARROW)).toEqual([]);
  await page.getByRole('button', { name: 'Columns', exact: true }).tap();
  await page.getByRole('button', { name: 'Move name down' }).waitFor();
  expect(await page.evaluate(NARROW)).toEqual([]);
  await visitor.open('/audit');
  await page.getByRole('button', { name: 'Details of row 1', exact: true }).waitFor();
  expect(await page.evaluate(NARROW)).toEqual([]);
  await visitor.leave();
});
