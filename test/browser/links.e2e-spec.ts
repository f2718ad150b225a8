import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../support/fixture';
import { violationsOn } from './violations';
import { DESKTOP, PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let airlines: string;
let flights: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const NAMES = ['Alpine Air', 'Baltic Wings', 'Coral Jet', 'alpha Charter'];

beforeEach(async () => {
  const workspace = await newWorkspace(api);
  airlines = await newDatagrid(
    api,
    [
      { key: 'code', type: 'integer' },
      { key: 'name', type: 'text', title: 'Name' },
    ],
    workspace,
  );
  const rows = NAMES.map((name, at) => ({ values: { name, code: at + 10 } }));
  dataOf(await api.post(`${airlines}/rows`, { rows: [...rows, { values: {} }] }), 201);
  const options = { datagridId: idOf(airlines) };
  flights = await newDatagrid(
    api,
    [
      { key: 'number', type: 'text' },
      { key: 'airline', type: 'link', title: 'Airline', options },
      { key: 'partners', type: 'multiLink', title: 'Partners', options },
    ],
    workspace,
  );
  const linking = [
    { values: { number: 'AA 12', airline: 1, partners: [2, 3] } },
    { values: { number: 'AA 13', airline: 5 } },
    { values: { number: 'AA 14' } },
  ];
  dataOf(await api.post(`${flights}/rows`, { rows: linking }), 201);
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

async function openFlights(): Promise<void> {
  await visitor.open(flights);
  await signedIn.cell(1, 'airline').locator('.cell-chip').waitFor();
}

const field = (): Locator => visitor.page.getByRole('combobox').and(visitor.page.locator(':focus'));

/** Opens the editor of a cell. */
async function edit(row: number, column: string): Promise<void> {
  await signedIn.cell(row, column).dblclick({ position: { x: 3, y: 3 } });
  await field().waitFor();
}

const press = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await visitor.page.keyboard.press(key);
};

/** Waits until a cell has chips with these titles. */
const shows = async (row: number, column: string, titles: readonly string[]): Promise<void> => {
  await eventually(async () => {
    const found = await signedIn.cell(row, column).locator('.cell-chip').allTextContents();
    return JSON.stringify(found) === JSON.stringify(titles);
  });
};

/** Waits until the list has these options. */
const lists = async (options: readonly string[]): Promise<void> => {
  await eventually(async () => {
    const found = await visitor.page.locator('.link-option-title').allTextContents();
    return JSON.stringify(found) === JSON.stringify(options);
  });
};

const isNow = async (row: number, column: string, value: unknown): Promise<void> => {
  await eventually(async () => {
    const { body } = await api.get(`${flights}/rows/${String(row)}`);
    const now = body.data?.values?.[column] as unknown;
    return JSON.stringify(now) === JSON.stringify(value);
  });
};

describe('a cell of links', () => {
  it('shows the titles of the linked rows, and the id of a row without a title, with one request for a page', async () => {
    const requests: string[] = [];
    const note = (url: string): void => {
      if (/\/rows(\?|\/)/.test(url)) requests.push(url);
    };
    visitor.page.on('request', (request) => {
      note(request.url());
    });
    await openFlights();
    await shows(1, 'airline', ['Alpine Air']);
    await shows(1, 'partners', ['Baltic Wings', 'Coral Jet']);
    await shows(2, 'airline', ['5']);
    expect(await signedIn.cell(3, 'airline').textContent()).toBe('');
    expect(requests.filter((url) => !url.includes('/changes'))).toEqual([
      expect.stringContaining('expand=airline%2Cpartners'),
    ]);
    expect(await violationsOn(visitor.page)).toEqual([]);
    visitor.page.removeAllListeners('request');
  });
});

describe('the picker of linked rows', () => {
  it('searches by the typed text in any case, and Enter chooses the first row and moves down', async () => {
    await openFlights();
    await edit(1, 'airline');
    await lists(['Alpine Air', 'Baltic Wings', 'Coral Jet', 'alpha Charter', 'Row with id 5']);
    await visitor.page.keyboard.type('al');
    await lists(['alpha Charter', 'Alpine Air', 'Baltic Wings', 'Coral Jet']);
    expect(await violationsOn(visitor.page)).toEqual([]);
    await press('Enter');
    await isNow(1, 'airline', 4);
    await shows(1, 'airline', ['alpha Charter']);
    await visitor.page.locator('[row-index="1"] [col-id="airline"]:focus-within').waitFor();
  });

  it('opens with the typed letter, and waits for the search after a fast Enter', async () => {
    await openFlights();
    await signedIn.cell(3, 'airline').click();
    await press('c');
    await field().waitFor();
    await visitor.page.keyboard.type('oral');
    await press('Enter');
    await isNow(3, 'airline', 3);
    await field().waitFor({ state: 'hidden' });
    await visitor.page.locator('[row-index="2"] [col-id="airline"]:focus-within').waitFor();
    await shows(3, 'airline', ['Coral Jet']);
  });

  it('takes a typed id at once, and the service rejects that of a missing row in its cell', async () => {
    await openFlights();
    await signedIn.cell(3, 'airline').click();
    await press('2');
    await field().waitFor();
    await press('Enter');
    await isNow(3, 'airline', 2);
    await shows(3, 'airline', ['Baltic Wings']);
    await edit(2, 'airline');
    await visitor.page.keyboard.type('99');
    await press('Enter');
    await signedIn.cell(2, 'airline').locator('.edited-cell-message').getByText(/exist/).waitFor();
    await edit(2, 'airline');
    await visitor.page.keyboard.type('5');
    await press('Enter');
    await signedIn.cell(2, 'airline').locator('.cell-chip').waitFor();
    await isNow(2, 'airline', 5);
  });

  it('adds and removes several rows with the keys, and saves them once', async () => {
    await openFlights();
    await edit(1, 'partners');
    await visitor.page.keyboard.type('alpine');
    await lists(['Alpine Air']);
    await press('Enter');
    await press('Backspace', 'Backspace');
    await visitor.page.getByRole('button', { name: 'Remove Baltic Wings' }).waitFor();
    await lists(['Alpine Air', 'Baltic Wings', 'Coral Jet', 'alpha Charter', 'Row with id 5']);
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter', 'Tab');
    await isNow(1, 'partners', [2, 4]);
    expect(dataOf(await api.get(`${flights}/rows/1`), 200).revision).toBe(2);
    await shows(1, 'partners', ['Baltic Wings', 'alpha Charter']);
  });

  it('leaves the value after Escape, and Delete clears it', async () => {
    await openFlights();
    await edit(1, 'airline');
    await visitor.page.keyboard.type('coral');
    await press('Escape');
    await shows(1, 'airline', ['Alpine Air']);
    await signedIn.cell(1, 'airline').click({ position: { x: 3, y: 3 } });
    await press('Delete');
    await isNow(1, 'airline', undefined);
  });

  it('says so if the user has no access to the linked datagrid', async () => {
    await visitor.page.route(`**/data${airlines}**`, (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'forbidden', message: 'No access.' } }),
      }),
    );
    await visitor.page.route('**/rows?*expand=*', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/json',
        body: JSON.stringify({ error: { code: 'forbidden', message: 'No access.' } }),
      }),
    );
    await openFlights();
    await shows(1, 'partners', ['2', '3']);
    await edit(1, 'airline');
    await visitor.sees('You have no access to the linked datagrid');
    await visitor.page.keyboard.type('3');
    await press('Enter');
    await visitor.page.unrouteAll({ behavior: 'wait' });
    await isNow(1, 'airline', 3);
  });
});

describe('a new row', () => {
  it('takes linked rows in the last line', async () => {
    await openFlights();
    const line = visitor.page.locator('[row-index="b-0"]');
    await line.locator('[col-id="airline"]').dblclick();
    await field().waitFor();
    await visitor.page.keyboard.type('baltic');
    await lists(['Baltic Wings']);
    await press('Enter');
    await isNow(4, 'airline', 2);
    await shows(4, 'airline', ['Baltic Wings']);
  });

  it('takes linked rows in its form, and an id that is typed there', async () => {
    await openFlights();
    await visitor.page.getByRole('button', { name: 'Add row' }).click({ modifiers: ['Shift'] });
    const form = visitor.page.getByRole('dialog', { name: 'New row' });
    await form.getByRole('combobox', { name: 'Partners' }).fill('3');
    await form.getByRole('option', { name: 'Coral Jet' }).click();
    await form.getByRole('combobox', { name: 'Airline' }).fill('2');
    await form.getByRole('button', { name: 'Add' }).click();
    await isNow(4, 'airline', 2);
    await isNow(4, 'partners', [3]);
  });
});

describe('the limits of linked rows', () => {
  it('show blocks of rows also if the service rejects their linked rows as too large', async () => {
    await visitor.page.route('**/rows?*expand=*', (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        body: JSON.stringify({
          error: {
            code: 'invalid_request',
            message: 'The request is invalid.',
            details: [{ field: 'expand', code: 'too_large', message: 'adds too much data' }],
          },
        }),
      }),
    );
    await openFlights();
    // The titles are read alone, which is much less.
    await shows(1, 'partners', ['Baltic Wings', 'Coral Jet']);
    await visitor.page.unrouteAll({ behavior: 'wait' });
  });
});

describe('changes', () => {
  it('of others and pasted ids are shown by titles, and copies have the ids', async () => {
    await openFlights();
    dataOf(await api.patch(`${flights}/rows/3`, { values: { airline: 3, partners: [1] } }), 200);
    await shows(3, 'airline', ['Coral Jet']);
    await shows(3, 'partners', ['Alpine Air']);
    await signedIn.cell(1, 'airline').click({ position: { x: 3, y: 3 } });
    await press('Shift+ArrowRight', 'Control+c');
    await eventually(
      async () => (await visitor.page.evaluate('navigator.clipboard.readText()')) === '1\t[2,3]',
    );
    await visitor.page.evaluate(`navigator.clipboard.writeText('4\\t[4,1]')`);
    await signedIn.cell(2, 'airline').click({ position: { x: 3, y: 3 } });
    await press('Control+v');
    await isNow(2, 'partners', [4, 1]);
    await shows(2, 'airline', ['alpha Charter']);
    await shows(2, 'partners', ['alpha Charter', 'Alpine Air']);
  });
});

describe('the link of a chip', () => {
  it('opens the linked row in its datagrid, and Back returns', async () => {
    await openFlights();
    await signedIn.cell(1, 'partners').getByRole('link', { name: 'Open Coral Jet' }).click();
    const card = visitor.page.getByRole('dialog', { name: 'Row 3' });
    await card.getByText('Id 3').waitFor();
    expect(await card.getByLabel('Name').inputValue()).toBe('Coral Jet');
    expect(new URL(visitor.page.url()).pathname + new URL(visitor.page.url()).search).toBe(
      airlines,
    );
    await press('Escape');
    await card.waitFor({ state: 'hidden' });
    await visitor.page.goBack();
    await signedIn.cell(1, 'airline').getByText('Alpine Air').waitFor();
  });

  it('keeps the place for Back', async () => {
    const { page } = visitor;
    await openFlights();
    const rows = Array.from({ length: 199 }, () => ({ values: { airline: 2 } }));
    dataOf(await api.post(`${flights}/rows`, { rows }), 201);
    await visitor.open(flights);
    await signedIn.cell(1, 'airline').click({ position: { x: 3, y: 3 } });
    await press('Control+ArrowDown');
    const last = page.locator('[row-index="201"] [col-id="airline"]:focus-within');
    await last.getByText('Baltic Wings').waitFor();
    await press('Control+Enter');
    await page.getByRole('dialog', { name: 'Row 2' }).waitFor();
    await press('Escape');
    await page.goBack();
    await last.getByText('Baltic Wings').waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('opens also with Ctrl+Enter in its cell', async () => {
    await openFlights();
    await signedIn.cell(1, 'airline').click({ position: { x: 3, y: 3 } });
    await press('Control+Enter');
    await visitor.page.getByRole('dialog', { name: 'Row 1' }).getByText('Id 1').waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe(airlines);
  });

  it('says so if the row does not exist', async () => {
    await visitor.open(`${airlines}?row=77`);
    await visitor.sees('The row with id 77 does not exist or is in the trash.');
  });
});

describe('the form of a column', () => {
  it('offers the datagrids of the workspace, and the rule can change later', async () => {
    await openFlights();
    await visitor.page.getByRole('button', { name: 'Add a column' }).click();
    const form = visitor.page.getByRole('dialog', { name: 'Add a column' });
    await form.getByLabel('Title').fill('Operator');
    await form.getByText('Link to a row').click();
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByText('Choose a datagrid.').waitFor();
    const { name } = dataOf(await api.get(airlines), 200) as { name: string };
    await form.getByRole('combobox', { name: 'Linked datagrid' }).fill(name);
    await visitor.page.getByRole('option', { name, exact: true }).click();
    await form.getByLabel('If a linked row is deleted').selectOption('Remove the links');
    expect(await violationsOn(visitor.page)).toEqual([]);
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await eventually(async () => (await api.get(`${flights}/columns/operator`)).status === 200);
    const options = { datagridId: idOf(airlines), onDelete: 'clear' };
    expect(dataOf(await api.get(`${flights}/columns/operator`), 200).options).toEqual(options);
    await form.getByRole('button', { name: 'Done' }).click();

    await visitor.page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Column settings' }).click();
    const panel = visitor.page.getByRole('dialog', { name: 'Column settings' });
    await panel.getByRole('button', { name: 'Operator operator' }).click();
    await panel.getByText('Links to').getByRole('link', { name }).waitFor();
    await panel.getByRole('button', { name: 'Actions for Operator' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Change' }).click();
    const change = visitor.page.getByRole('dialog', { name: /Change/ });
    await change.getByRole('link', { name }).waitFor();
    await change.getByLabel('If a linked row is deleted').selectOption('cascade');
    await change.getByRole('button', { name: 'Change the column' }).click();
    await eventually(async () => {
      const column = dataOf(await api.get(`${flights}/columns/operator`), 200);
      return column.options?.onDelete === 'cascade';
    });
  });
});

describe('a filter by linked rows', () => {
  it('takes a row from the picker, and is in the address', async () => {
    await openFlights();
    await visitor.page.getByRole('button', { name: /^Filter/ }).click();
    const dialog = visitor.page.getByRole('dialog', { name: 'Filter' });
    await dialog.getByLabel('Column').selectOption('partners');
    await dialog.getByRole('button', { name: 'Show these rows' }).click();
    await dialog.getByText('Choose a row.').waitFor();
    await field().waitFor();
    await visitor.page.keyboard.type('cor');
    await lists(['Coral Jet']);
    expect(await violationsOn(visitor.page)).toEqual([]);
    await press('Enter');
    await dialog.getByRole('button', { name: 'Remove Coral Jet' }).waitFor();
    await dialog.getByRole('button', { name: 'Show these rows' }).click();
    await visitor.sees(/Partners contains Coral Jet/);
    await signedIn.cell(1, 'number').getByText('AA 12').waitFor();
    await signedIn.cell(2, 'number').waitFor({ state: 'hidden' });
    expect(new URL(visitor.page.url()).searchParams.get('where')).toBe('partners:$contains:3');
  });
});

describe('a filter by a column of the linked rows', () => {
  it('is offered, applied and read again from the address', async () => {
    await openFlights();
    await visitor.page.getByRole('button', { name: /^Filter/ }).click();
    const dialog = visitor.page.getByRole('dialog', { name: 'Filter' });
    await dialog.getByLabel('Column').selectOption('Airline → Name');
    await dialog.getByLabel('Condition', { exact: true }).selectOption('starts with');
    await dialog.getByLabel('Value').fill('Alp');
    await dialog.getByRole('button', { name: 'Show these rows' }).click();
    await visitor.sees('Airline → Name starts with Alp');
    await signedIn.cell(2, 'number').waitFor({ state: 'hidden' });
    await visitor.page.reload();
    await visitor.sees('Airline → Name starts with Alp');
    await signedIn.cell(1, 'number').getByText('AA 12').waitFor();
    await signedIn.cell(2, 'number').waitFor({ state: 'hidden' });
  });
});

describe('a deletion that links restrict', () => {
  it('names the rows and their datagrid with links', async () => {
    await visitor.open(airlines);
    await signedIn.cell(1, 'name').getByText('Alpine Air').waitFor();
    await visitor.page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await visitor.page.getByRole('button', { name: 'Delete row' }).click();
    const dialog = visitor.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    const { name } = dataOf(await api.get(flights), 200) as { name: string };
    await dialog.getByText('links to row 1 in column “Airline”').waitFor();
    expect(await violationsOn(visitor.page)).toEqual([]);
    await dialog.getByRole('link', { name: `Row 1 of ${name}` }).click();
    await visitor.page.getByRole('dialog', { name: 'Row 1' }).getByText('Id 1').waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe(flights);
  });

  it('of a datagrid names the column to remove', async () => {
    await visitor.open(airlines);
    await visitor.page.getByRole('button', { name: 'More actions for this datagrid' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Delete the datagrid' }).click();
    const dialog = visitor.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete the datagrid' }).click();
    await dialog.getByText(/links to this datagrid. Remove this column first/).waitFor();
    await dialog.getByRole('link').waitFor();
  });
});

describe('on a phone and in the dark', () => {
  it('has dialogs of columns, filters and new rows without violations', async () => {
    const other = await signedIn.another({ view: PHONE, colorScheme: 'dark' });
    const { page } = other;
    const check = async (): Promise<void> => {
      for (const view of [DESKTOP, PHONE]) {
        await page.setViewportSize(view);
        expect(await violationsOn(page)).toEqual([]);
      }
    };
    try {
      await other.open(flights);
      await page.getByRole('button', { name: /^Filter/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Column').selectOption('airline');
      await dialog.getByRole('combobox', { name: 'Row', exact: true }).fill('cor');
      await dialog.getByRole('option', { name: 'Coral Jet' }).waitFor();
      await check();
      // Escape closes the list first.
      await page.keyboard.press('Escape');
      await dialog.getByRole('option', { name: 'Coral Jet' }).waitFor({ state: 'hidden' });
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'More actions for this datagrid' }).click();
      await page.getByRole('menuitem', { name: 'Column settings' }).click();
      await page.getByRole('button', { name: 'Add a column' }).last().click();
      const column = page.getByRole('dialog', { name: 'New column' });
      await column.getByLabel('Type').selectOption('Links to rows');
      await column.getByRole('combobox', { name: 'Linked datagrid' }).click();
      await column.getByRole('listbox').getByRole('option').first().waitFor();
      await check();
      expect(other.errors).toEqual([]);
    } finally {
      await other.leave();
    }
  });

  it('has a card with chips that lead to the linked rows, and a picker without violations', async () => {
    const phone = await signedIn.another({ view: PHONE, colorScheme: 'dark' });
    try {
      await phone.open(flights);
      await phone.page.getByRole('button', { name: 'Open row 1' }).click();
      const card = phone.page.getByRole('dialog', { name: 'Row 1' });
      await card.getByRole('link', { name: 'Baltic Wings' }).waitFor();
      await card.getByRole('combobox', { name: 'Airline' }).fill('cor');
      await card.getByRole('option', { name: 'Coral Jet' }).waitFor();
      expect(await violationsOn(phone.page)).toEqual([]);
      await card.getByRole('option', { name: 'Coral Jet' }).click();
      await isNow(1, 'airline', 3);
      await card.getByRole('link', { name: 'Baltic Wings' }).click();
      await phone.page.getByRole('dialog', { name: 'Row 2' }).getByText('Id 2').waitFor();
      expect(phone.errors).toEqual([]);
    } finally {
      await phone.leave();
    }
  });
});
