import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { dataOf } from '../support/fixture';
import { TestApp } from '../support/test-app';
import { PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let app: TestApp;
let signedIn: SignedIn;
let owner: Visitor;
let files: string;
let api: ApiClient;
let workspaceId: string;
let datagridId: string;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'datagrid-connections-'));
  // A service of its own, which has a directory for files.
  app = await TestApp.start({ settings: { CONNECTION_FILES_DIR: files } });
  signedIn = await SignedIn.arrive({ app });
  ({ api, visitor: owner } = signedIn);
  await owner.page.clock.install();
});

beforeEach(async () => {
  workspaceId = idOf(await api.post('/workspaces', { name: `Warehouse ${randomUUID()}` }));
  const columns = [
    { key: 'name', type: 'text' },
    { key: 'height', type: 'integer' },
  ];
  const body = { name: 'Peaks of 2026', columns };
  datagridId = idOf(await api.post(`/workspaces/${workspaceId}/datagrids`, body));
  await addRow('Dom');
});

afterAll(async () => {
  await signedIn.leave();
  await app.close();
  await rm(files, { recursive: true, force: true });
});

const idOf = (response: Awaited<ReturnType<ApiClient['post']>>): string =>
  (dataOf(response, 201) as { id: string }).id;

const addRow = async (name: string): Promise<void> => {
  dataOf(await api.post(`/datagrids/${datagridId}/rows`, { values: { name } }), 201);
};

const button = (name: string): Locator => owner.page.getByRole('button', { name, exact: true });
const dialog = (name: string | RegExp): Locator => owner.page.getByRole('dialog', { name });
const step = (name: string): Locator => owner.page.getByRole('region', { name, exact: true });
const tables = (): Locator => owner.page.getByRole('region', { name: 'Tables' });

/** A name of a file that no other test uses. */
const freshFile = (): string => randomUUID();

/** Creates a connection to a file, and opens its page. */
async function openConnection(settings: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const body = { name: 'Lake', type: 'duckdb', settings: { file: freshFile() }, ...settings };
  const id = idOf(await api.post(`/workspaces/${workspaceId}/connections`, body));
  await owner.open(`/workspaces/${workspaceId}/connections/${id}`);
  await owner.page.getByRole('heading', { level: 1, name: 'Lake' }).waitFor();
  return `/workspaces/${workspaceId}/connections/${id}`;
}

async function chooseOfTable(name: string, action: string): Promise<void> {
  await button(`Actions for the table ${name}`).click();
  await owner.page.getByRole('menuitem', { name: action, exact: true }).click();
}

const isSynced = async (): Promise<void> => {
  await owner.seesAfterReads(tables().getByText('Synced'));
  await owner.seesAfterReads(tables().getByText('Has all changes'));
};

describe('the connections of a workspace', () => {
  it('are created by a wizard that tests the destination, and copy a datagrid', async () => {
    await owner.open(`/workspaces/${workspaceId}`);
    await owner.page.getByRole('link', { name: 'Connections' }).click();
    await owner.sees('A connection copies the datagrids of this workspace');
    await owner.page.getByRole('link', { name: 'New connection' }).first().click();
    await button('Next').click();
    await step('Destination').getByText('Choose a destination.').waitFor();
    await owner.page.getByLabel('DuckDB file').click();
    await button('Next').click();
    const settings = step('Settings');
    expect(await owner.page.evaluate('document.activeElement.textContent')).toBe(
      'DuckDB file settings',
    );
    await settings.getByLabel('Name of the connection').fill('Lake');
    await settings.getByLabel('Name of the file').fill('Not a name');
    await button('Test').click();
    await settings.getByText('Must be 1 to 64 characters of a-z').waitFor();
    expect(await owner.page.evaluate('document.activeElement.ariaInvalid')).toBe('true');
    const file = freshFile();
    await settings.getByLabel('Name of the file').fill(file);
    await button('Test').click();
    await settings.getByText('The test succeeded').waitFor();
    await button('Next').click();
    const sync = step('Datagrids');
    await sync.getByLabel('Only some').click();
    await sync.getByLabel('At intervals').click();
    await sync.getByLabel('Minutes between two syncs').fill('0');
    await button('Next').click();
    await sync.getByText('Choose at least one datagrid.').waitFor();
    await sync.getByText('Must be a number of minutes').waitFor();
    await sync.getByLabel('Chosen datagrids').click();
    await owner.page.getByRole('option', { name: 'Peaks of 2026' }).click();
    await owner.page.keyboard.press('Escape');
    await sync.getByLabel('Keep them, with the time').click();
    await sync.getByLabel('Continuously').click();
    await button('Next').click();
    const review = step('Review');
    await review.getByText(`DuckDB file, ${file}`).waitFor();
    const columns = review.getByRole('list', { name: 'Columns of Peaks of 2026' });
    await columns.getByText('height').waitFor();
    expect(await columns.getByRole('listitem').allTextContents()).toEqual([
      ...['_id', '_revision', '_synced_at', '_deleted_at', 'name', 'height'],
    ]);
    await button('Start the connection').click();
    await owner.page.getByRole('heading', { level: 1, name: 'Lake' }).waitFor();
    await tables().getByText('peaks_of_2026').waitFor();
    await isSynced();
    const run = owner.page.getByRole('table', { name: 'Runs' }).locator('tbody tr').first();
    await owner.seesAfterReads(run);
    expect(await run.textContent()).toMatch(/^Peaks of 2026Done1[\d,.]+ (?:bytes|kB)[\d.]+ s/);
    await owner.page.getByRole('main').getByRole('link', { name: 'Connections' }).click();
    await owner.sees(`DuckDB file, ${file}`);
    await owner.seesAfterReads(owner.page.getByText('1 table. Has all changes'));
    expect([...owner.errors, ...owner.foreignRequests]).toEqual([]);
  });

  it('say in words why a destination cannot be used, and can be created all the same', async () => {
    await owner.open(`/workspaces/${workspaceId}/connections/new`);
    await owner.page.getByLabel('PostgreSQL').click();
    await button('Next').click();
    const settings = step('Settings');
    await button('Test').click();
    await settings.getByText('Is required.').first().waitFor();
    await settings.getByLabel('Host').fill('warehouse.invalid');
    await settings.getByLabel('Database').fill('analytics');
    await settings.getByLabel('User').fill('datagrid');
    await settings.getByLabel('Password', { exact: true }).fill('a secret');
    await button('Test').click();
    await settings.getByText('The test failed').waitFor();
    await button('Continue without a successful test').click();
    await button('Next').click();
    await step('Review').getByText('PostgreSQL, warehouse.invalid / analytics').waitFor();
    await button('Back').click();
    await button('Back').click();
    await settings.getByLabel('Name of the connection').fill('');
    await button('Continue without a successful test').click();
    await button('Next').click();
    await button('Start the connection').click();
    // The service rejects the name, and the wizard returns to its step.
    await settings.getByText('Must be', { exact: false }).first().waitFor();
    expect(await settings.getByLabel('Password', { exact: true }).inputValue()).toBe('a secret');
    await settings.getByLabel('Name of the connection').fill('Warehouse');
    await button('Continue without a successful test').click();
    await button('Next').click();
    await button('Start the connection').click();
    await owner.page.getByRole('heading', { level: 1, name: 'Warehouse' }).waitFor();
    await owner.seesAfterReads(owner.page.getByText('1 table cannot be synced'));
    expect(await owner.page.content()).not.toContain('a secret');
    await button('Edit').click();
    const form = dialog(/^Edit/);
    await form.getByLabel('Port', { exact: true }).fill('5433');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Must be sent again, because the settings change.').waitFor();
    await form.getByLabel('Password', { exact: true }).fill('another');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    await owner.page.getByText('5433').waitFor();
  });

  it('get other deletions as long as no load has begun', async () => {
    await openConnection({ enabled: false });
    await owner.sees('Are deleted');
    await button('Edit').click();
    const form = dialog(/^Edit/);
    await form.getByLabel('Keep them, and every earlier version').click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    await owner.sees('Stay, with all earlier versions of rows');
    await button('Resume').click();
    await isSynced();
    await button('Edit').click();
    await form.getByText('How often').waitFor();
    await form.getByText('Deleted rows').waitFor({ state: 'hidden' });
    await owner.page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
    expect(owner.errors).toEqual([]);
  });

  it('are created paused to choose the name and the columns of a table, and resumed', async () => {
    await openConnection({ enabled: false });
    await owner.sees('This connection is paused');
    await chooseOfTable('peaks_of_2026', 'Name and columns');
    const form = dialog(/^Name and columns of/);
    await form.getByLabel('Name of the table').fill('Not a name');
    await form.getByLabel('Only some').click();
    await form.getByLabel('height').click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Must be 1 to 50 lower-case letters').waitFor();
    await form.getByLabel('Name of the table').fill('mountains');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    await tables().getByText('mountains').waitFor();
    await tables().getByText('1 column').waitFor();
    await button('Resume').click();
    await isSynced();
    await chooseOfTable('mountains', 'Name and columns');
    await form.getByText('The name of the table is fixed').waitFor();
    await owner.page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });
    await button('Pause').click();
    await owner.sees('This connection is paused');
  });

  it('check a table at once, and load it again after a confirmation', async () => {
    await openConnection();
    await isSynced();
    const checked = owner.page.waitForResponse((response) => response.url().endsWith('/check'));
    await chooseOfTable('peaks_of_2026', 'Check');
    expect((await checked).status()).toBe(204);
    await addRow('Rigi');
    await chooseOfTable('peaks_of_2026', 'Load again');
    const confirm = dialog(/^Load peaks_of_2026 again/);
    await confirm.getByText('All rows of the datagrid are sent again.').waitFor();
    await confirm.getByRole('button', { name: 'Load the table again' }).click();
    await confirm.waitFor({ state: 'hidden' });
    const runs = owner.page.getByRole('table', { name: 'Runs' });
    await owner.seesAfterReads(runs.getByRole('cell', { name: /^[2-9]$/ }));
    await isSynced();
    // The plot needs two reads.
    await owner.seesAfterReads(
      tables().getByRole('img', { name: /^Lag of peaks_of_2026 in the last/ }),
    );
  });

  it('show the progress of a load with its rate and the time left', async () => {
    let loadedRows = 0;
    // A real load of so few rows ends before the page could show it.
    await owner.page.route(/\/tables\?/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: object[] };
      loadedRows += 1_000;
      const load = { status: 'loading', loadedRows, totalRows: 500_000, lagSeconds: null };
      const data = body.data.map((table) => ({ ...table, ...load }));
      await route.fulfill({ response, json: { ...body, data } });
    });
    await openConnection();
    const rate = /^[\d,]+ of 500,000 rows, [\d,]+ rows per second, \d+ min left$/;
    await tables().getByText(rate).waitFor();
    const bar = tables().getByRole('progressbar', { name: 'Load of peaks_of_2026' });
    // At least two of the reads, and at most all of them.
    const percent = Number(await bar.getAttribute('aria-valuenow'));
    expect(percent).toBeGreaterThanOrEqual(0.4);
    expect(percent).toBeLessThanOrEqual(loadedRows / 5_000);
    await owner.page.unroute(/\/tables\?/);
    await isSynced();
  });

  it('are tested and deleted, and the dialog says that the tables stay', async () => {
    await openConnection({ intervalSeconds: 300 });
    await owner.sees('Every 5 minutes');
    await button('Actions for this connection').click();
    await owner.page.getByRole('menuitem', { name: 'Test the connection' }).click();
    const test = dialog(/^Test of/);
    await test.getByText('The test succeeded').waitFor();
    await test.getByRole('button', { name: 'Close' }).last().click();
    await test.waitFor({ state: 'hidden' });
    await button('Actions for this connection').click();
    await owner.page.getByRole('menuitem', { name: 'Delete' }).click();
    const confirm = dialog(/^Delete/);
    await confirm.getByText('The tables in the destination stay').waitFor();
    await confirm.getByRole('button', { name: 'Delete the connection' }).click();
    await owner.page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor();
    await owner.sees('A connection copies the datagrids of this workspace');
    const list = await api.get(`/workspaces/${workspaceId}/connections`);
    expect(dataOf(list, 200)).toEqual([]);
  });

  it('are linked for no editor, whom their pages tell who can manage them', async () => {
    const editor = await signedIn.colleague('editor', { view: PHONE });
    await editor.open(`/workspaces/${workspaceId}`);
    await editor.sees('Peaks of 2026');
    expect(await editor.page.getByRole('link', { name: 'Connections' }).count()).toBe(0);
    for (const page of ['connections', 'connections/new']) {
      await editor.open(`/workspaces/${workspaceId}/${page}`);
      await editor.sees('Only admins and owners can manage connections.');
    }
    expect(editor.errors).toEqual([]);
  });
});
