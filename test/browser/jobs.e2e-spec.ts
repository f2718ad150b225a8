import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { newDemo, SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(240_000);

const ROWS = Array.from({ length: 6 }, (_, index) => ({
  name: `Item ${String(index + 1)}`,
  size: index + 1,
}));
const TYPES = ['text', 'integer', 'decimal', 'boolean', 'date', 'email'] as const;
const PARTS = ['first', 'second'] as const;
/** Keys and types of the twelve columns, as `columnsOf` returns them. */
const TWELVE = TYPES.flatMap((type) =>
  PARTS.map((part) => `${part}${type.charAt(0).toUpperCase()}${type.slice(1)} ${type}`),
);
/** Tabs from one part of a page to another, at most. */
const MAX_TABS = 60;

/** Presses of a pointer device, its movements and its wheel. Keys cause none of these events. */
const POINTER_EVENTS = [
  'pointerdown',
  'pointermove',
  'mousedown',
  'mousemove',
  'touchstart',
  'wheel',
];

let signedIn: SignedIn;
let api: ApiClient;
/** Who does the job of a test. */
let visitor: Visitor;
/** Events of a pointer device that the page of the visitor got. */
let pointerEvents: string[];
/** Keys that the page got, without letters, digits and spaces. */
let commandKeys: string[];

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ api } = signedIn);
  await newDemo(api);
});

afterAll(() => signedIn.leave());

/** Opens a page that no mouse has ever been over, with the session of the user. */
beforeEach(async () => {
  pointerEvents = [];
  commandKeys = [];
  visitor = await signedIn.another();
  await visitor.context.exposeBinding('onPointerEvent', (_page, type: string) => {
    pointerEvents.push(type);
  });
  await visitor.context.exposeBinding('onCommandKey', (_page, key: string) => {
    commandKeys.push(key);
  });
  await visitor.context.addInitScript(`
    for (const type of ${JSON.stringify(POINTER_EVENTS)}) {
      window.addEventListener(type, () => window.onPointerEvent(type), { capture: true, passive: true });
    }
    window.addEventListener('keydown', ({ key }) => key.length > 1 && window.onCommandKey(key), {
      capture: true,
    });
  `);
});

afterEach(() => visitor.leave());

const focused = (target: Locator): Locator => target.and(visitor.page.locator(':focus-within'));

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

/** Creates an empty datagrid from the list of workspaces, with the keyboard. @returns its path. */
async function createWithKeys(name: string): Promise<string> {
  const { page } = visitor;
  await visitor.open('/workspaces');
  await tabTo(page.getByRole('main').getByRole('link', { name: 'Demo' }));
  await press('Enter');
  await tabTo(page.getByRole('button', { name: 'New datagrid', exact: true }));
  await press('Enter');
  await focused(page.getByLabel('Name')).waitFor();
  await page.keyboard.type(name);
  await press('Enter');
  await page.waitForURL(/\/datagrids\//);
  await focused(page.getByRole('button', { name: 'Add columns' })).waitFor();
  return new URL(page.url()).pathname;
}

/** Opens the form for new columns at the last header, with the keyboard. */
async function openFormWithKeys(): Promise<void> {
  await tabTo(visitor.page.locator('.ag-header-cell'));
  await press('End', 'Enter');
  await focused(form().getByLabel('Title')).waitFor();
}

const form = (): Locator => visitor.page.getByRole('dialog', { name: 'Add a column' });

/** Types two titles for each type into the open form for new columns. */
async function addTwelve(): Promise<void> {
  const { page } = visitor;
  for (const type of TYPES) {
    for (const part of PARTS) {
      const title = `${part} ${type}`;
      await focused(form().getByLabel('Title')).waitFor();
      await page.keyboard.type(title);
      // The form keeps the last type, and begins with text.
      if (part === 'first' && type !== 'text') {
        await press('Tab');
        // The buttons of the types go to the type that is typed.
        await page.keyboard.type(type);
        await focused(
          form().getByRole('radio', { name: type, exact: true, checked: true }),
        ).waitFor();
      }
      await press('Enter');
      await page.getByRole('button', { name: `Options for ${title}` }).waitFor();
    }
  }
}

const columnsOf = async (path: string): Promise<string[]> => {
  const { columns } = dataOf(await api.get(path), 200) as {
    columns: { key: string; type: string }[];
  };
  return columns.map(({ key, type }) => `${key} ${type}`);
};

it('A datagrid with columns and 6 rows of 2 fields is made with the keyboard alone, with 2 keys beyond the text of each row', async () => {
  const { page } = visitor;
  const path = await createWithKeys('With the keyboard');
  await openFormWithKeys();
  await page.keyboard.type('Name');
  await press('Enter');
  await page.getByRole('button', { name: 'Options for Name' }).waitFor();
  await focused(form().getByLabel('Title')).waitFor();
  await page.keyboard.type('Size');
  await press('Tab');
  // The types begin with text and integer.
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
  expect(pointerEvents).toEqual([]);
  expect(visitor.errors).toEqual([]);
});

// Counted is each key that does not write a title or the name of a type: Tab to the types for each
// type but the first, and Enter for each column. With the mouse, "+" and "Done" are two clicks more.
it('Twelve columns of six types are added with the keyboard alone, with 17 keys beyond their text', async () => {
  const { page } = visitor;
  const path = await createWithKeys('Twelve columns');
  await openFormWithKeys();
  await eventually(() => commandKeys.at(-1) === 'Enter');
  commandKeys = [];
  await addTwelve();
  await eventually(() => commandKeys.length >= 12 + 5);
  expect(commandKeys).toHaveLength(12 + 5);
  await press('Escape');
  // The next key types the first row.
  await page.locator('[row-index="b-0"] .ag-cell:focus-within').waitFor();
  expect(await columnsOf(path)).toEqual(TWELVE);
  expect(pointerEvents).toEqual([]);
  expect(visitor.errors).toEqual([]);
});

// 16 clicks are needed: on "+", on the button of each type but the first, and on "Done".
it('Fifteen columns of as many types take at most 20 clicks and a key for each', async () => {
  const { page } = visitor;
  const path = await newDatagrid(api, []);
  await visitor.open(path);
  await page.getByRole('button', { name: 'Add a column', exact: true }).click();
  const offered = await form()
    .getByRole('radio')
    .evaluateAll((radios) => radios.map((radio) => (radio as unknown as { value: string }).value));
  // The others need another datagrid.
  const types = offered.filter((type) => !/link|lookup|count/i.test(type));
  for (const type of types) {
    await focused(form().getByLabel('Title')).waitFor();
    await page.keyboard.type(`a ${type}`);
    if (type !== 'text')
      await form()
        .locator('label', { hasText: new RegExp(`^${type}$`) })
        .click();
    const choices = form().getByLabel('Choices');
    if ((await choices.count()) > 0) {
      await press('Tab');
      await page.keyboard.type('red');
      await press('Control+Enter');
    } else await press('Enter');
    await page.getByRole('button', { name: `Options for a ${type}` }).waitFor();
  }
  await form().getByRole('button', { name: 'Done', exact: true }).click();
  expect((await columnsOf(path)).map((column) => column.split(' ')[1])).toEqual(types);
  expect(types).toHaveLength(15);
  const clicks = pointerEvents.filter((type) => type === 'pointerdown');
  expect(clicks.length).toBeLessThanOrEqual(20);
  expect(visitor.errors).toEqual([]);
});
