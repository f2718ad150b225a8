import type { Dialog, Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = [
  { key: 'note', type: 'text' },
  { key: 'done', type: 'boolean' },
  { key: 'size', type: 'select', options: { choices: ['small', 'medium'] } },
  { key: 'extra', type: 'json' },
];
const VALUES = { note: 'before', done: true, size: 'small', extra: '12' };

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, COLUMNS);
  dataOf(await api.post(`${path}/rows`, { values: VALUES }), 201);
  await visitor.open(path);
  await cell('note').getByText('before').waitFor();
});

const cell = (column: string): Locator => signedIn.cell(1, column);

/** Selects a cell and presses keys. Waits for the editor after the first one. */
async function press(column: string, ...keys: readonly string[]): Promise<void> {
  const { page } = visitor;
  const [first = '', ...rest] = keys;
  await cell(column).click();
  await page.keyboard.press(first);
  await page.locator('.value-editor:focus').waitFor();
  for (const key of rest) await page.keyboard.press(key);
}

const isNow = async (values: object): Promise<void> => {
  await eventually(async () => {
    const row = dataOf(await api.get(`${path}/rows/1`), 200);
    return JSON.stringify(Object.entries(row.values as object).sort()) ===
      JSON.stringify(Object.entries({ ...VALUES, ...values }).sort())
      ? true
      : undefined;
  });
};

/** Reloads the page and returns the types of the dialogs that the browser opens before. */
async function dialogsOnReload(): Promise<string[]> {
  const { page } = visitor;
  const dialogs: string[] = [];
  const agree = (dialog: Dialog): void => {
    dialogs.push(dialog.type());
    void dialog.accept();
  };
  page.on('dialog', agree);
  try {
    await page.reload();
    await cell('note').getByText('before').waitFor();
  } finally {
    page.off('dialog', agree);
  }
  return dialogs;
}

describe('a cell with a choice of values', () => {
  it('selects the value that starts with the typed letter', async () => {
    const before = visitor.errors.length;
    await press('done', 'f', 'Enter');
    await isNow({ done: false });
    await press('size', 'm', 'Enter');
    await isNow({ done: false, size: 'medium' });
    expect(visitor.errors.slice(before)).toEqual([]);
  });
});

describe('text that arrives without keys', () => {
  it.each(['مرحبا بالعالم', 'Łódź', 'καλημέρα', '😀', 'dictated, with a comma'])(
    'replaces the value of a selected cell: %s',
    async (text) => {
      await cell('note').click();
      await visitor.page.keyboard.insertText(text);
      await visitor.page.keyboard.press('Enter');
      await isNow({ note: text });
    },
  );

  it('is complete among keys', async () => {
    await cell('note').click();
    // Letters that the layout of the keyboard lacks are inserted without a key.
    await visitor.page.keyboard.type('Łódź, Zażółć');
    await visitor.page.keyboard.press('Enter');
    await isNow({ note: 'Łódź, Zażółć' });
  });

  it('is the row that is typed into the last line', async () => {
    await visitor.page.locator('[row-index="b-0"] [col-id="note"]').click();
    await visitor.page.keyboard.insertText('Ελλάδα');
    await visitor.page.keyboard.press('Enter');
    await eventually(async () => {
      const response = await api.get(`${path}/rows/2`);
      return response.status === 200 || undefined;
    });
    expect(dataOf(await api.get(`${path}/rows/2`), 200).values).toEqual({ note: 'Ελλάδα' });
  });

  it('is shown over the cell while it is composed, and then edited there', async () => {
    const { page, context } = visitor;
    await cell('note').click();
    const protocol = await context.newCDPSession(page);
    const compose = (text: string): Promise<unknown> =>
      protocol.send('Input.imeSetComposition', {
        ...{ text, selectionStart: text.length, selectionEnd: text.length },
      });
    await compose('に');
    await compose('にほん');
    await protocol.send('Input.insertText', { text: '日本' });
    await page.locator('.value-editor:focus').waitFor();
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await isNow({ note: '日本!' });
    expect(visitor.errors).toEqual([]);
  });

  it('filters choices', async () => {
    await cell('size').click();
    await visitor.page.keyboard.insertText('med');
    await visitor.page.locator('.value-editor:focus').waitFor();
    await visitor.page.keyboard.press('Enter');
    await isNow({ size: 'medium' });
  });
});

describe('an editor of a value', () => {
  it.each(['F2', 'Enter', 'a double click'])(
    'has the caret at the end of the value after %s',
    async (way) => {
      if (way === 'a double click') await cell('note').dblclick();
      else await press('note', way);
      await visitor.page.locator('.value-editor:focus').waitFor();
      await visitor.page.keyboard.type('!');
      await visitor.page.keyboard.press('Enter');
      await isNow({ note: 'before!' });
    },
  );
});

describe('a JSON cell', () => {
  it('has the caret at the end of the value', async () => {
    await press('extra', 'F2', 'ArrowLeft', '4', 'Enter');
    await isNow({ extra: '124' });
  });

  it('keeps a string of digits a string', async () => {
    await cell('extra').getByText('"12"', { exact: true }).waitFor();
    await press('extra', 'F2', 'End', 'ArrowLeft', '3', 'Enter');
    await isNow({ extra: '123' });
  });
});

/** Runs in the page: returns the left edges of the first and the last letter of the note. */
const PLACES = `(() => {
  const element = document.querySelector('[row-index="0"] [col-id="note"]');
  const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  return [0, node.textContent.length - 1].map((at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().left;
  });
})()`;

describe('right-to-left text', () => {
  it('is displayed from right to left', async () => {
    const text = 'שלום!';
    dataOf(await api.patch(`${path}/rows/1`, { values: { note: text } }), 200);
    await visitor.page.getByRole('button', { name: 'Refresh' }).click();
    await cell('note').getByText(text).waitFor();
    const [first = 0, last = 0] = await visitor.page.evaluate<number[]>(PLACES);
    expect(last).toBeLessThan(first);
  });
});

describe('unsaved input', () => {
  it('in a cell makes the browser ask before a reload', async () => {
    expect(await dialogsOnReload()).toEqual([]);
    await press('note', 'x', 'y');
    expect(await dialogsOnReload()).toEqual(['beforeunload']);
  });

  it('in a new row stays after a click outside until it is discarded, and makes the browser ask before a reload', async () => {
    const { page } = visitor;
    const field = page.getByRole('dialog').getByLabel('note');
    const openForm = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions for this datagrid' }).click();
      await page.getByRole('menuitem', { name: 'Add a row in a form' }).click();
      await field.fill('typed');
    };
    await openForm();
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' });
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await field.and(page.locator(':focus')).waitFor();
    await page.mouse.click(5, 5);
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('typed');
    expect(await dialogsOnReload()).toEqual(['beforeunload']);
    await openForm();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describe('an import', () => {
  const choose = async ({ page }: Visitor, lines: number): Promise<void> => {
    await page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await page.getByRole('menuitem', { name: 'Import a file' }).click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'rows.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`note\n${'a line of the file\n'.repeat(lines)}`),
    });
  };
  const begin = ({ page }: Visitor): Promise<void> =>
    page.getByRole('button', { name: /^Import \d/ }).click();
  const total = async (): Promise<number> =>
    (await api.get(`${path}/rows?limit=1`)).body.meta.total as number;

  it('that is stopped during the upload reports and shows the rows that it has written', async () => {
    const { page } = visitor;
    const network = await visitor.context.newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
    await network.send('Network.emulateNetworkConditions', slow);
    await choose(visitor, 400_000);
    await begin(visitor);
    await eventually(async () => (await total()) > 1 || undefined);
    await page.getByRole('button', { name: 'Stop the import' }).click();
    await visitor.sees('The import was stopped early');
    await network.detach();
    const written = (await total()) - 1;
    await visitor.sees(`${written.toLocaleString('en')} created`);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await visitor.sees(`${(written + 1).toLocaleString('en')} rows`);
  });

  it('is kept if the session has ended, as the page says, and saved after the next sign-in', async () => {
    const password = 'a password of some length';
    await signedIn.app.setPassword(signedIn.owner, password);
    const other = await signedIn.another();
    await other.open(path);
    await other.page.locator('[row-index="0"] [col-id="note"]').click();
    await other.context.clearCookies();
    await other.page.keyboard.type('kept');
    await other.page.keyboard.press('Enter');
    await other.sees(
      'What you typed is kept in this tab, and is saved after you sign in here again.',
    );
    await other.page.getByLabel('Email').fill(signedIn.owner.email);
    await other.page.getByLabel('Password', { exact: true }).fill(password);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await isNow({ note: 'kept' });
    await other.leave();
  });

  it('signs the user out if the session has ended', async () => {
    const other = await signedIn.another();
    await other.open(path);
    await choose(other, 1);
    await other.context.clearCookies();
    await begin(other);
    await other.page.waitForURL(/\/sign-in/);
    await other.sees('Your session has ended.');
    expect(await total()).toBe(1);
  });
});
