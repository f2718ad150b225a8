import { randomUUID } from 'node:crypto';
import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf } from '../support/fixture';
import { TestApp } from '../support/test-app';
import { LOOPBACK_ALLOWED, verify, WebhookReceiver } from '../support/webhook-receiver';
import { PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let app: TestApp;
let signedIn: SignedIn;
let owner: Visitor;
let receiver: WebhookReceiver;
let api: ApiClient;
let workspaceId: string;
/** Path of the rows of a datagrid in the workspace. */
let rows: string;

beforeAll(async () => {
  // A service of its own, which may deliver to this machine.
  [app, receiver] = await Promise.all([
    TestApp.start({ settings: LOOPBACK_ALLOWED }),
    WebhookReceiver.start(),
  ]);
  signedIn = await SignedIn.arrive({ app });
  ({ api, visitor: owner } = signedIn);
});

beforeEach(async () => {
  workspaceId = (
    dataOf(await api.post('/workspaces', { name: `Hooks ${randomUUID()}` }), 201) as { id: string }
  ).id;
  const columns = [{ key: 'name', type: 'text' }];
  const body = { name: 'Watched', columns };
  const created = dataOf(await api.post(`/workspaces/${workspaceId}/datagrids`, body), 201);
  rows = `/datagrids/${(created as { id: string }).id}/rows`;
});

afterAll(async () => {
  await signedIn.leave();
  await receiver.close();
  await app.close();
});

const button = (name: string): Locator => owner.page.getByRole('button', { name, exact: true });
const dialog = (name: string | RegExp): Locator => owner.page.getByRole('dialog', { name });

async function choose(action: string): Promise<void> {
  await button('Actions for this webhook').click();
  await owner.page.getByRole('menuitem', { name: action }).click();
}

/** Reads the secret that a dialog shows, and closes it. */
async function storeSecret(title: string): Promise<string> {
  const shown = dialog(title);
  await shown.getByText('The secret is shown only once').waitFor();
  await owner.page.keyboard.press('Escape');
  const secret = await shown.getByRole('group').textContent();
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await shown.waitFor({ state: 'hidden' });
  return secret ?? '';
}

/** Creates a webhook at a path of the receiver, and opens its page. */
async function openWebhook(path: string): Promise<void> {
  const body = { url: `${receiver.url}${path}`, events: ['rows.created'] };
  const created = dataOf(await api.post(`/workspaces/${workspaceId}/webhooks`, body), 201);
  const { id } = created as { id: string };
  await owner.open(`/workspaces/${workspaceId}/webhooks/${id}`);
  await owner.page.getByRole('heading', { level: 1 }).waitFor();
}

describe('the webhooks of a workspace', () => {
  it('are created from the empty page, with errors at their fields and a secret shown once', async () => {
    await owner.open(`/workspaces/${workspaceId}`);
    await owner.page.getByRole('link', { name: 'Webhooks' }).click();
    await owner.sees('A webhook sends the changes of this workspace’s datagrids');
    await button('New webhook').click();
    const form = dialog('New webhook');
    const url = form.getByLabel('URL of your endpoint');
    await url.fill('nowhere');
    await form.getByRole('button', { name: 'Create the webhook' }).click();
    await form.getByText('Must be a URL of up to 2000 characters.').waitFor();
    expect(await owner.page.evaluate('document.activeElement.ariaInvalid')).toBe('true');
    await url.fill(`${receiver.url}/first`);
    await form.getByLabel('Only some').click();
    await form.getByLabel('Chosen datagrids').click();
    await owner.page.getByRole('option', { name: 'Watched' }).click();
    await form.getByRole('button', { name: 'Create the webhook' }).click();
    const secret = await storeSecret('Your new webhook');
    expect(secret).toMatch(/^whsec_/);
    await owner.sees('Nothing delivered yet');
    dataOf(await api.post(rows, { values: { name: 'Dom' } }), 201);
    const [event] = await eventually(() => {
      const received = receiver.at('/first');
      return received.length > 0 ? received : undefined;
    });
    if (!event) throw new Error('Nothing was received.');
    expect(verify(secret, event)).toMatchObject({ type: 'rows.created' });
    await owner.page.getByRole('link', { name: /\/first$/ }).click();
    await owner.sees('Active');
    await owner.page
      .getByRole('row', { name: /rows\.created, Watched/ })
      .getByRole('button', { name: /^Details of row/ })
      .click();
    await owner.page.getByRole('group', { name: 'Request' }).getByText('"Dom"').waitFor();
    expect([...owner.errors, ...owner.foreignRequests]).toEqual([]);
  });

  it('are tested, and the attempt shows the status, the duration and both bodies', async () => {
    receiver.respond = (response) => void response.writeHead(500).end('out of order');
    await openWebhook('/tested');
    await button('Send a test').click();
    const test = dialog(/^Test of/);
    await test.getByText(/The endpoint did not accept the event\. This took [\d,]+ ms\./).waitFor();
    await test.getByText('500', { exact: true }).waitFor();
    await test.getByRole('group', { name: 'Request' }).getByText('"webhook.test"').waitFor();
    await test.getByRole('group', { name: 'Response' }).getByText('out of order').waitFor();
    receiver.respond = (response) => void response.writeHead(204).end();
    await test.getByRole('button', { name: 'Send again' }).click();
    await test.getByText(/The event was delivered after/).waitFor();
    await test.getByRole('button', { name: 'Close' }).last().click();
    await test.waitFor({ state: 'hidden' });
    const attempts = owner.page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
    await eventually(async () => ((await attempts.count()) === 2 ? true : undefined));
    expect(await attempts.first().textContent()).toMatch(/^204webhook\.test/);
    expect(await attempts.last().textContent()).toMatch(/^500webhook\.test/);
  });

  it('get a new secret after a confirmation', async () => {
    await openWebhook('/rotated');
    await choose('Rotate the secret');
    await dialog(/^Rotate the secret of/)
      .getByRole('button', { name: 'Create a new secret' })
      .click();
    const secret = await storeSecret('Your new secret');
    await button('Send a test').click();
    await owner.sees('The event was delivered');
    const [event] = receiver.at('/rotated');
    if (!event) throw new Error('Nothing was received.');
    expect(verify(secret, event)).toMatchObject({ type: 'webhook.test' });
  });

  it('send events again from a time on', async () => {
    dataOf(await api.post(rows, { values: { name: 'Dom' } }), 201);
    await openWebhook('/replayed');
    await choose('Send events again');
    const form = dialog('Send events again');
    await form.getByLabel('Changes since').selectOption('A time');
    await form.getByRole('button', { name: 'Send again' }).click();
    await form.getByText('Must be a time by RFC 3339').waitFor();
    await form.getByLabel('Changes since').selectOption('The last hour');
    await form.getByRole('button', { name: 'Send again' }).click();
    await form.getByText('Changes of 1 datagrid are sent again.').waitFor();
    await eventually(() => (receiver.at('/replayed').length > 0 ? true : undefined));
  });

  it('are disabled, enabled and deleted', async () => {
    await openWebhook('/deleted');
    await button('Edit').click();
    const form = dialog(/^Edit/);
    await form.getByLabel('Enabled').click();
    await form.getByLabel('Description').fill('Updates the search index');
    await form.getByRole('button', { name: 'Save' }).click();
    await owner.sees('This webhook is disabled');
    await owner.sees('Updates the search index');
    await button('Enable the webhook').click();
    await owner.page.getByText('This webhook is disabled').waitFor({ state: 'hidden' });
    await choose('Delete');
    await dialog(/^Delete/)
      .getByRole('button', { name: 'Delete the webhook' })
      .click();
    await owner.page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await owner.sees('A webhook sends the changes of this workspace’s datagrids');
  });

  it('filter rows, show what is wrong with a filter, and that a removed column has disabled them', async () => {
    await owner.open(`/workspaces/${workspaceId}/webhooks`);
    await button('New webhook').first().click();
    const form = dialog('New webhook');
    await form.getByLabel('URL of your endpoint').fill(`${receiver.url}/filtered`);
    await form.getByLabel('Only some').click();
    await form.getByLabel('Chosen datagrids').click();
    await owner.page.getByRole('option', { name: 'Watched' }).click();
    const filter = form.getByLabel('Filter');
    const create = form.getByRole('button', { name: 'Create the webhook' });
    await filter.fill('name: Dom');
    await create.click();
    await form.getByText('Must be a JSON object.').waitFor();
    await filter.fill('{ "nickname": "Dom" }');
    await create.click();
    await form.getByText('filter.nickname: is not a column of this datagrid').waitFor();
    await filter.fill('{ "name": { "$startsWith": "D" } }');
    await create.click();
    await storeSecret('Your new webhook');
    dataOf(await api.post(rows, { values: { name: 'Rigi' } }), 201);
    dataOf(await api.post(rows, { values: { name: 'Dom' } }), 201);
    const [event] = await eventually(() => {
      const received = receiver.at('/filtered');
      return received.length > 0 ? received : undefined;
    });
    expect(event?.body.data).toMatchObject({ rowCount: 1, rowIds: [2] });
    expect((await api.delete(`${rows.replace(/rows$/, '')}columns/name`)).status).toBe(204);
    await owner.page.getByRole('link', { name: /\/filtered$/ }).click();
    await owner.sees('Its filter is not valid anymore');
    await owner.sees('{"name~1":{"$startsWith":"D"}}');
    await button('Enable the webhook').click();
    await owner.sees('The webhook was not enabled');
    await button('Edit').click();
    const edited = dialog(/^Edit/);
    await edited.getByLabel('Filter').fill('');
    await edited.getByLabel('Enabled').click();
    await edited.getByRole('button', { name: 'Save' }).click();
    await owner.sees('Active');
    await owner.page.getByText('name~1').first().waitFor({ state: 'hidden' });
  });

  it('are linked for no editor, whom their pages tell who can manage them', async () => {
    const editor = await signedIn.colleague('editor', { view: PHONE });
    await editor.open(`/workspaces/${workspaceId}`);
    await editor.sees('Watched');
    expect(await editor.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await editor.open(`/workspaces/${workspaceId}/webhooks`);
    await editor.sees('Only admins and owners can manage webhooks.');
    expect(editor.errors).toEqual([]);
  });
});
