import { readFile } from 'node:fs/promises';

import type { ApiClient } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import { workbookOf, zipOf } from '../support/zip';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let workspaceId: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
  workspaceId = dataOf(await api.post('/workspaces', { name: 'Imports' }), 201).id as string;
});

afterAll(() => signedIn.leave());

/** Drops a file on the page, as from a file manager. */
async function drop(name: string, content: Buffer, { page } = visitor): Promise<void> {
  // Runs in the page, which has these classes.
  const script = `(() => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(${JSON.stringify([...content])})], ${JSON.stringify(name)}));
    return data;
  })()`;
  const transfer = await page.evaluateHandle(script);
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

let clicks = 0;

/** Clicks a button of the dialog, and counts the click. */
async function click(name: string | RegExp): Promise<void> {
  clicks += 1;
  await visitor.page.getByRole('dialog').getByRole('button', { name }).click();
}

async function openWorkspace(): Promise<void> {
  await visitor.open(`/workspaces/${workspaceId}`);
  await visitor.page.getByRole('heading', { name: 'Imports' }).waitFor();
  clicks = 0;
}

interface SeenColumn {
  readonly key: string;
  readonly title: string;
  readonly type: string;
}

/** Returns the columns and the values of the datagrid that the page shows, through the API. */
async function seenDatagrid(): Promise<{ columns: string[]; rows: unknown[] }> {
  await visitor.page.waitForURL(/\/datagrids\//);
  const path = new URL(visitor.page.url()).pathname;
  const { columns } = dataOf(await api.get(path), 200) as { readonly columns: SeenColumn[] };
  const rows = dataOf(await api.get(`${path}/rows`), 200) as { readonly values: unknown }[];
  return {
    columns: columns.map(({ title, type }) => `${title}: ${type}`),
    rows: rows.map(({ values }) => values),
  };
}

/** Imports a dropped file as a new datagrid, as it is understood. */
async function importNew(name: string, content: string | Buffer): Promise<void> {
  await openWorkspace();
  await drop(name, Buffer.from(content));
  await click(/^Import \d/);
  await visitor.page.getByText(/^(The import is complete|Imported with errors)/).waitFor();
  await click('Open the datagrid');
}

describe('the import wizard', () => {
  it('imports a messy European CSV file right in at most 6 clicks', async () => {
    const text = [
      'Name;Name;PLZ;Betrag;Datum;;Notiz',
      'Müller;Jörg;01067;1.234,50;31.12.2025;x;"zwei\nZeilen; mit ""Zitat"""',
      'Weiß;Änne;80331;-7,00;01.02.2026;;kurz',
    ].join('\r\n');
    await importNew('messe.csv', Buffer.from(text, 'latin1'));
    expect(await seenDatagrid()).toEqual({
      columns: [
        'Name: text',
        'Name 2: text',
        'PLZ: text',
        'Betrag: decimal',
        'Datum: date',
        'Column 6: text',
        'Notiz: text',
      ],
      rows: [
        {
          name: 'Müller',
          name2: 'Jörg',
          plz: '01067',
          betrag: '1234.50',
          datum: '2025-12-31',
          column6: 'x',
          notiz: 'zwei\nZeilen; mit "Zitat"',
        },
        {
          name: 'Weiß',
          name2: 'Änne',
          plz: '80331',
          betrag: '-7.00',
          datum: '2026-02-01',
          notiz: 'kurz',
        },
      ],
    });
    expect(clicks).toBeLessThanOrEqual(6);
  });

  it('says that most values of a text column are email addresses, and lets one choose the type', async () => {
    await openWorkspace();
    await drop('people.csv', Buffer.from('mail\na@x.org\nb@x.org\nnobody\nd@x.org\ne@x.org\n'));
    await visitor.sees('mail: 4 of 5 values can be read as email, but not “nobody” in line 4.');
    await click('Import mail as email');
    await visitor.sees('1 of 5 rows does not fit and will be left out');
    await visitor.page.getByLabel('Values that do not fit').selectOption('empty');
    await click('Import 5 rows');
    await visitor.sees('1 value of the file did not fit. It was left empty.');
    await click('Open the datagrid');
    expect(await seenDatagrid()).toEqual({
      columns: ['mail: email'],
      rows: ['a@x.org', 'b@x.org', null, 'd@x.org', 'e@x.org'].map((mail) =>
        mail === null ? {} : { mail },
      ),
    });
  });

  it('imports a JSON array as rows and columns', async () => {
    await importNew('lakes.json', '[{"name":"Zürichsee","depth":136},\n {"name":"Walensee"}]');
    expect(await seenDatagrid()).toEqual({
      columns: ['name: text', 'depth: integer'],
      rows: [{ name: 'Zürichsee', depth: 136 }, { name: 'Walensee' }],
    });
  });

  it('leaves the number of rows in the list of datagrids', async () => {
    await importNew('counted.csv', 'n\n1\n2\n3\n');
    await seenDatagrid();
    await visitor.page.getByRole('link', { name: 'Imports' }).first().click();
    const row = visitor.page.getByRole('row', { name: /counted/ });
    await row.getByRole('cell', { name: '3', exact: true }).waitFor();
  });

  it('creates columns from NDJSON, and a name that is not taken', async () => {
    await importNew('lakes.ndjson', '{"name":"Zürichsee","depth":136.5}\n{"name":"Walensee"}\n');
    expect(await seenDatagrid()).toEqual({
      columns: ['name: text', 'depth: number'],
      rows: [{ name: 'Zürichsee', depth: 136.5 }, { name: 'Walensee' }],
    });
    await visitor.page.getByRole('heading', { name: 'lakes 2' }).waitFor();
  });

  it('imports an Excel workbook of 20,000 rows', async () => {
    const cell = (name: string, text: string): string =>
      `<c r="${name}" t="inlineStr"><is><t>${text}</t></is></c>`;
    const head = `<row r="1">${cell('A1', 'Code')}${cell('B1', 'Price')}</row>`;
    const body = Array.from({ length: 20_000 }, (_none, index) => {
      const at = index + 2;
      return `<row r="${at}">${cell(`A${at}`, '01067')}<c r="B${at}"><v>19.989999999999998</v></c></row>`;
    });
    // More than 512 KB unpacked, from which the reader of workbooks unpacks in a worker of its own.
    await importNew('prices.xlsx', zipOf(workbookOf(`${head}${body.join('')}`)));
    const { columns, rows } = await seenDatagrid();
    expect(columns).toEqual(['Code: text', 'Price: number']);
    expect(rows[0]).toEqual({ code: '01067', price: 19.99 });
    await visitor.sees('20,000 rows');
  });

  it('says that one value of a column of numbers is none, and lets the user choose', async () => {
    const lines = ['amount,name', ...Array.from({ length: 20 }, (_none, at) => `${at + 1},x`)];
    const csv = [...lines, 'abc,y'].join('\n');
    await openWorkspace();
    await drop('amounts.csv', Buffer.from(csv));
    await visitor.sees('1 of 21 rows does not fit and will be left out');
    await visitor.sees('amount is not an integer in 1 row: “abc” in line 22.');
    await click('Import amount as text');
    await visitor.sees('All 21 rows fit');
    await visitor.page.getByLabel('Type of amount').selectOption('integer');
    await visitor.page.getByLabel('Values that do not fit').selectOption('empty');
    await visitor.sees('All 21 rows will be imported, 1 value will be left empty');
    await visitor.sees('“abc” in line 22. The value will be left empty.');
    await visitor.page.getByLabel('Values that do not fit').selectOption('reject');
    await click('Import 20 rows');
    await visitor.sees('Imported with errors: 1 of 21 rows rejected');
    const download = visitor.page.waitForEvent('download');
    await click('Download the rejected rows');
    const saved = await (await download).path();
    expect(await readFile(saved, 'utf8')).toBe(
      '\ufeffamount,name,import_error\r\nabc,y,amount is not an integer\r\n',
    );
  });

  it('imports the row of a wrong value without the value, and says so', async () => {
    await openWorkspace();
    const lines = Array.from({ length: 20 }, (_none, at) => `${at + 1},x`);
    await drop('emptied.csv', Buffer.from(['amount,name', 'abc,y', ...lines].join('\n')));
    await visitor.page.getByLabel('Values that do not fit').selectOption('empty');
    await click('Import 21 rows');
    await visitor.sees('The import is complete');
    await visitor.sees('1 value of the file did not fit. It was left empty.');
    await click('Open the datagrid');
    expect((await seenDatagrid()).rows[0]).toEqual({ name: 'y' });
  });

  it('keeps the counts and the button that starts the import in view', async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 1280, height: 480 });
    const lines = Array.from({ length: 60 }, (_none, at) => `${at + 1},x`);
    await openWorkspace();
    await drop('tall.csv', Buffer.from(['amount,name', ...lines, 'abc,y'].join('\n')));
    const foot = page.getByRole('dialog').getByRole('group', { name: 'Import', exact: true });
    await foot.getByText('60 rows, 1 left out').waitFor();
    const isInView = async (): Promise<boolean> => {
      const box = await foot.getByRole('button', { name: 'Import 60 rows' }).boundingBox();
      return box !== null && box.y + box.height < 480;
    };
    const scrolls = page.locator('.mantine-Modal-content');
    expect(await scrolls.evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
    expect(await isInView()).toBe(true);
    await page.mouse.wheel(0, 5_000);
    expect(await isInView()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('asks for the order of day and month if the file does not tell', async () => {
    await openWorkspace();
    await drop('days.csv', Buffer.from('day,name\n03/04/2025,a\n05/06/2025,b\n'));
    await visitor.sees('“03/04/2025” can be read in two ways.');
    const begin = visitor.page.getByRole('dialog').getByRole('button', { name: /^Import/ });
    expect(await begin.isDisabled()).toBe(true);
    await visitor.page.getByLabel('Dates').selectOption('mdy');
    await click('Import 2 rows');
    await visitor.sees('The import is complete');
    await click('Open the datagrid');
    const { rows } = await seenDatagrid();
    expect(rows).toEqual([
      { day: '2025-03-04', name: 'a' },
      { day: '2025-05-06', name: 'b' },
    ]);
  });

  it('maps a file to the columns of a datagrid, and undoes the import', async () => {
    const path = await newDatagrid(api, [
      { key: 'n', type: 'integer', title: 'Number' },
      { key: 'note', type: 'text' },
    ]);
    dataOf(await api.post(`${path}/rows`, { values: { n: 1, note: 'before' } }), 201);
    await visitor.open(path);
    await visitor.sees('before');
    await drop('more.csv', Buffer.from('number;other\n2;two\n3;three\n'));
    await visitor.page.getByLabel('Column for other').selectOption('note');
    await click('Import 2 rows');
    await visitor.sees('The import is complete');
    const rows = async (): Promise<unknown[]> =>
      (dataOf(await api.get(`${path}/rows`), 200) as { values: unknown }[]).map(
        ({ values }) => values,
      );
    expect(await rows()).toEqual([
      { n: 1, note: 'before' },
      { n: 2, note: 'two' },
      { n: 3, note: 'three' },
    ]);
    await click('Undo the import');
    await visitor.sees('2 rows deleted, 0 rows changed back.');
    expect(await rows()).toEqual([{ n: 1, note: 'before' }]);
  });

  /** Opens a datagrid of five customers whose numbers are unique, without history. */
  async function openCustomers(who: Visitor = visitor): Promise<string> {
    const path = await newDatagrid(api, [
      { key: 'nr', type: 'text', title: 'Kundennr', unique: true },
      { key: 'name', type: 'text' },
    ]);
    for (const nr of ['K-1', 'K-2', 'K-3', 'K-4', 'K-5']) {
      dataOf(await api.post(`${path}/rows`, { values: { nr, name: 'before' } }), 201);
    }
    await who.open(path);
    await who.sees('before');
    return path;
  }

  const TEN = Array.from({ length: 10 }, (_none, at) => `K-${String(at + 1)},after`);
  const TEN_CUSTOMERS = Buffer.from(['Kundennr,name', ...TEN].join('\n'));

  const namesIn = async (path: string): Promise<unknown[]> =>
    (dataOf(await api.get(`${path}/rows`), 200) as { values: { name: unknown } }[]).map(
      ({ values }) => values.name,
    );

  it('finds the rows whose unique value exists before it imports the others', async () => {
    const path = await openCustomers();
    await drop('customers.csv', Buffer.from([TEN_CUSTOMERS, 'K-9,again'].join('\n')));
    await visitor.sees('6 of 11 rows do not fit and will be left out');
    await visitor.sees(
      '5 rows have a Kundennr that already exists in the datagrid: “K-1” in line 2, “K-2” in line 3, “K-3” in line 4, ….',
    );
    await visitor.sees('1 row has the Kundennr of an earlier row of the file: “K-9” in line 12.');
    await click('Import 5 rows');
    await visitor.sees('Imported with errors: 6 of 11 rows rejected');
    await visitor.sees('“K-1” already exists in the datagrid');
    expect(await namesIn(path)).toEqual([
      ...Array<string>(5).fill('before'),
      ...Array<string>(5).fill('after'),
    ]);
    // It has only created rows, which needs no history.
    await click('Undo the import');
    await visitor.sees('5 rows deleted, 0 rows changed back.');
  });

  it('says which key is several times in a file that changes rows', async () => {
    await openCustomers();
    await drop('customers.csv', Buffer.from([TEN_CUSTOMERS, 'K-9,again'].join('\n')));
    await click('Change the row with the same Kundennr');
    await visitor.sees('All 11 rows fit');
    await visitor.sees(
      '1 row has the Kundennr of an earlier row of the file: “K-9” is in 2 rows. They change the same row of the datagrid one after the other, and the last one wins.',
    );
  });

  it('turns history on before it changes rows, so that the import can be undone', async () => {
    const path = await openCustomers();
    await drop('customers.csv', TEN_CUSTOMERS);
    await click('Change the row with the same Kundennr');
    await visitor.sees('All 10 rows fit');
    const keep = visitor.page.getByLabel('Keep earlier versions of rows');
    expect(await keep.isChecked()).toBe(true);
    await click('Import 10 rows');
    await visitor.sees('Rows: 10 read, 5 created, 5 changed.');
    expect(dataOf(await api.get(path), 200).history).toBe(true);
    expect(await namesIn(path)).toEqual(Array(10).fill('after'));
    await click('Undo the import');
    await visitor.sees('5 rows deleted, 5 rows changed back.');
    expect(await namesIn(path)).toEqual(Array(5).fill('before'));
  });

  it('offers no undo for changed rows of a datagrid without history, and says so before', async () => {
    const path = await openCustomers();
    await drop('customers.csv', TEN_CUSTOMERS);
    await visitor.page.getByLabel('Existing rows').selectOption('nr');
    const note = 'This datagrid keeps no earlier versions of rows';
    await visitor.page.getByLabel('Keep earlier versions of rows').uncheck();
    await visitor.sees(note);
    await click('Import 10 rows');
    await visitor.sees('Rows: 10 read, 5 created, 5 changed.');
    await visitor.sees('This import cannot be undone: it changed existing rows');
    expect(await visitor.page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
    expect(dataOf(await api.get(path), 200).history).toBe(false);
  });

  it('tells editors that an import cannot be undone, and does not ask them to turn history on', async () => {
    const editor = await signedIn.colleague('editor');
    await openCustomers(editor);
    await drop('customers.csv', TEN_CUSTOMERS, editor);
    await editor.page.getByLabel('Existing rows').selectOption('nr');
    await editor.sees('This datagrid keeps no earlier versions of rows');
    expect(await editor.page.getByLabel('Keep earlier versions of rows').count()).toBe(0);
    await editor.leave();
  });

  it('says how an import can change rows if no column is unique', async () => {
    const path = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    await visitor.open(path);
    await visitor.page.getByRole('button', { name: 'Options for n' }).waitFor();
    await drop('n.csv', Buffer.from('n\n1\n'));
    await visitor.sees('make a column unique under Column settings');
  });

  it('has all decisions in view, and lets the preview scroll', async () => {
    await openCustomers();
    const rows = Array.from({ length: 60 }, (_none, at) => `K-${String(at)},x,${String(at)}`);
    const lines = ['Kundennr,name,size', ...rows, 'K-99,y,abc'];
    await drop('many.csv', Buffer.from(lines.join('\n')));
    await visitor.page.getByLabel('Existing rows').selectOption('nr');
    const dialog = visitor.page.getByRole('dialog');
    const foot = dialog.getByRole('group', { name: 'Import', exact: true });
    await foot.getByText('60 rows, 1 left out').waitFor();
    const { y: end = 0 } = (await foot.boundingBox()) ?? {};
    for (const decision of [
      dialog.getByLabel('Delimiter'),
      dialog.getByLabel('Existing rows'),
      dialog.getByLabel('Keep earlier versions of rows'),
      dialog.getByLabel('Type of size'),
      dialog.getByText('size is not an integer in 1 row: “abc” in line 62.'),
      dialog.getByLabel('Values that do not fit'),
    ]) {
      const box = await decision.boundingBox();
      expect(box && box.y + box.height).toBeLessThan(end);
    }
    const preview = dialog.getByRole('group', { name: 'Preview' });
    expect(await preview.evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
    const content = visitor.page.locator('.mantine-Modal-content');
    expect(await content.evaluate((one) => one.scrollHeight <= one.clientHeight)).toBe(true);
  });

  it('names the item of a JSON array whose value does not fit', async () => {
    await openWorkspace();
    await drop('items.json', Buffer.from(`[${'{"n":1},'.repeat(20)}{"n":"x"}]`));
    await visitor.sees('n is not an integer in 1 row: “x” in item 21.');
    await click('Import 20 rows');
    await visitor.page.getByRole('columnheader', { name: 'Item' }).waitFor();
    await click('Open the datagrid');
    await visitor.page.waitForURL(/\/datagrids\//);
    const path = new URL(visitor.page.url()).pathname;
    expect(dataOf(await api.get(path), 200).history).toBe(true);
  });

  it('offers no second try for a file that cannot be read', async () => {
    await openWorkspace();
    await drop('broken.json', Buffer.from('[{"a":1},'));
    await visitor.sees('The JSON array does not end. The file may be incomplete.');
    expect(await visitor.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('has no script errors or blocked scripts, and calls no other origin', () => {
    expect(visitor.errors).toEqual([]);
    expect(visitor.foreignRequests).toEqual([]);
  });
});
