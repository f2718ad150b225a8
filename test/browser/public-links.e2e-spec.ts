import { source as axeSource } from 'axe-core';
import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid, newView } from '../support/fixture';
import { PHONE, type View, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

const COLUMNS = [
  { key: 'name', type: 'text', title: 'Name' },
  { key: 'amount', type: 'decimal', title: 'Amount' },
  { key: 'paid', type: 'boolean' },
  { key: 'site', type: 'url' },
  { key: 'secret', type: 'text', title: 'Secret' },
];

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let path: string;
let viewId: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive({ permissions: ['clipboard-read', 'clipboard-write'] });
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, COLUMNS);
  const rows = Array.from({ length: 250 }, (_, n) => ({
    values: {
      name: `Row ${String(n)} <b>${n === 0 ? 'x'.repeat(300) : ''}`,
      amount: `${String(n)}.50`,
      paid: n % 2 === 0,
      site: 'https://example.com/',
      secret: 'zebra',
    },
  }));
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  viewId = await newView(api, path, {
    name: 'Prices',
    sort: '-secret',
    columns: [{ key: 'secret', hidden: true }],
  });
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

async function openDialog(): Promise<void> {
  await visitor.open(`${path}?view=${viewId}`);
  await button('View: Prices').click();
  await visitor.page.getByRole('menuitem', { name: 'Share…', exact: true }).click();
}

/** Creates a link by the API and returns the path of its page. */
async function share(): Promise<string> {
  const created = await api.post(`${path}/views/${viewId}/link`, {});
  return new URL((dataOf(created, 201) as { url: string }).url).pathname;
}

/** Runs `work` with a reader in a browser profile without cookies, who must cause no error. */
async function asReader(
  work: (reader: Visitor) => Promise<void>,
  options: { readonly view?: View; readonly colorScheme?: 'light' | 'dark' } = {},
): Promise<void> {
  const reader = await signedIn.stranger(options);
  try {
    await work(reader);
    expect([reader.errors, reader.foreignRequests]).toEqual([[], []]);
    expect(await reader.context.cookies()).toEqual([]);
  } finally {
    await reader.leave();
  }
}

it('creates a link, which strangers can open until it is revoked', async () => {
  await openDialog();
  await visitor.sees('The link shows these 4 columns');
  await visitor.sees('The view filters or sorts by hidden columns: Secret.');
  await button('Create link').click();
  await visitor.sees('The link is shown only once');
  await button('Copy link').click();
  const url = await eventually(async () => {
    const copied = await visitor.page.evaluate<string>('navigator.clipboard.readText()');
    return /\/shared\/[\w-]{43}$/.test(copied) && copied;
  });
  await button('Done').click();
  const { pathname } = new URL(url);
  await asReader(async (reader) => {
    await reader.open(pathname);
    await reader.page.getByRole('heading', { level: 1, name: 'Prices' }).waitFor();
    await reader.page.getByRole('cell', { name: '0.50', exact: true }).waitFor();
    await openDialogAgainAndRevoke();
    await reader.page.reload();
    await reader.page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    expect(await reader.page.getByRole('cell').count()).toBe(0);
  });
});

async function openDialogAgainAndRevoke(): Promise<void> {
  await openDialog();
  await visitor.sees('The view has a public link');
  await visitor.sees(/Created by you/);
  await visitor.sees('Columns: Name, Amount, paid, site');
  await button('Revoke link…').click();
  await visitor.sees('Readers can no longer open it. A new link has another address.');
  await button('Revoke link').click();
  await button('Create link').waitFor();
}

it('replaces a link, after which the earlier one does not work', async () => {
  const before = await share();
  await openDialog();
  await button('Replace link…').click();
  await visitor.sees('The earlier link stops working at once.');
  await button('Replace link').click();
  await visitor.sees('The link is shown only once');
  await asReader(async (reader) => {
    await reader.open(before);
    await reader.page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  });
});

it('shows all rows while the reader scrolls, as text, and no hidden column', async () => {
  const page = await share();
  await asReader(async (reader) => {
    const received: Promise<string>[] = [];
    reader.page.on('response', (response) => {
      if (response.url().includes('/rows')) received.push(response.text());
    });
    await reader.open(page);
    await reader.sees('100 rows shown.');
    const frame = reader.page.getByRole('region', { name: 'Rows' });
    await eventually(async () => {
      await frame.evaluate('document.querySelector(".table-frame").scrollTop = 1e9');
      return reader.page.getByText('250 rows shown. This is the end.').isVisible();
    });
    expect(await reader.page.getByRole('row').count()).toBe(251);
    expect(await reader.page.getByRole('columnheader').allTextContents()).toEqual([
      'Name',
      'Amount',
      'paid',
      'site',
    ]);
    expect(await reader.page.getByText('Row 7 <b>', { exact: true }).count()).toBe(1);
    expect(received.length).toBe(3);
    expect((await Promise.all(received)).join('')).not.toContain('zebra');
    expect(await reader.page.content()).not.toContain('zebra');
  });
});

it.each([
  ['a desktop', {}],
  ['a phone in the dark', { view: PHONE, colorScheme: 'dark' as const }],
])('has no accessibility violations and no horizontal scrolling on %s', async (_, options) => {
  const page = await share();
  await asReader(async (reader) => {
    for (const [address, title] of [
      [page, 'Prices'],
      [`/shared/${'A'.repeat(43)}`, 'This link does not work'],
    ] as const) {
      await reader.open(address);
      await reader.page.getByRole('heading', { level: 1, name: title }).waitFor();
      const found = await reader.page.evaluate(
        `${axeSource}; axe.run().then((r) => r.violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      );
      expect(found).toEqual([]);
      const overflows =
        'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect(await reader.page.evaluate(overflows)).toBe(false);
    }
  }, options);
});

it('says that the view cannot be displayed, without its reason, and shows rows once it can', async () => {
  const page = await share();
  expect((await api.delete(`${path}/columns/secret`)).status).toBe(204);
  await asReader(async (reader) => {
    await reader.open(page);
    await reader.sees('This view cannot be displayed.');
    expect(await reader.page.content()).not.toMatch(/secret/i);
    dataOf(await api.patch(`${path}/views/${viewId}`, { sort: 'amount' }), 200);
    await reader.page.getByRole('button', { name: 'Try again' }).click();
    await reader.sees('100 rows shown.');
  });
});

it('shows rows without values in columns whose keys are names that objects inherit', async () => {
  const grid = await newDatagrid(api, [
    { key: 'name', type: 'text' },
    { key: 'constructor', type: 'text' },
    { key: 'toString', type: 'json' },
  ]);
  dataOf(await api.post(`${grid}/rows`, { values: { name: 'Ada' } }), 201);
  const view = await newView(api, grid, { name: 'All' });
  const created = await api.post(`${grid}/views/${view}/link`, {});
  const { pathname } = new URL((dataOf(created, 201) as { url: string }).url);
  await asReader(async (reader) => {
    await reader.open(pathname);
    await reader.sees('1 row shown.');
    expect(await reader.page.getByRole('cell').allTextContents()).toEqual(['Ada', '', '']);
  });
});
