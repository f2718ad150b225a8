import { ApiClient } from '../support/api-client';
import { CONSOLE, sessionHeaders } from '../support/console-client';
import { NO_ID } from '../support/fixture';
import type { Visitor } from './browser';
import { newDemo, SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;
let visitor: Visitor;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor } = signedIn);
  // As the console does: a request with the key would be in the log.
  const { token = '' } = await signedIn.app.console(signedIn.owner);
  const console = new ApiClient(
    ...([signedIn.origin, undefined, `${CONSOLE}/data`, sessionHeaders(token)] as const),
  );
  await newDemo(console);
});

afterAll(() => signedIn.leave());

describe('the request log', () => {
  it('begins with an example request to this service, and then lists requests, newest first', async () => {
    const { page } = visitor;
    await page.clock.install();
    await visitor.open('/requests');
    await page.getByRole('heading', { level: 2, name: 'No requests yet' }).waitFor();
    const example = page.getByRole('group', { name: 'Example request' });
    expect(await example.textContent()).toMatch(
      /^curl -H "Authorization: Bearer mk_…" "http.+\/api\/v1\/public\/datagrids\/[-\w]+\/rows\?limit=3"$/,
    );
    const { api } = signedIn;
    await api.get('/me', { 'x-request-id': 'the-first-one' });
    await api.get(`/workspaces/${NO_ID}`);
    await api.post('/workspaces', { name: 'Logged' });
    const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr');
    await visitor.seesAfterReads(rows.nth(2));
    expect(await rows.count()).toBe(3);
    expect(await rows.nth(0).textContent()).toMatch(/^201POST \/workspacestest …\w{4}[A-Z]/);
    expect(await rows.nth(1).textContent()).toMatch(/^404not_foundGET \/workspaces\/\{/);
    expect(await rows.nth(2).textContent()).toMatch(/^200GET \/me/);
  });

  it('has rows of one line, below which a button shows the request id, the key and the error', async () => {
    const { page } = visitor;
    await visitor.open('/requests');
    const row = page.getByRole('row', { name: /not_found/ });
    await row.waitFor();
    const rows = await page.locator('.data-table tbody tr').all();
    const heights = await Promise.all(rows.map(async (one) => (await one.boundingBox())?.height));
    expect(Math.max(...heights.map((height) => height ?? Infinity))).toBeLessThanOrEqual(36);
    const numbers = row.locator('.is-number');
    await numbers.waitFor();
    expect(await row.locator('td').nth(1).getAttribute('title')).toBe(
      'GET /workspaces/{workspaceId}',
    );
    const cells = row.locator('td');
    expect(await cells.evaluateAll((all) => all.map(({ scrollWidth }) => scrollWidth))).toEqual(
      await cells.evaluateAll((all) => all.map(({ clientWidth }) => clientWidth)),
    );
    const opener = row.getByRole('button', { name: /^Details of row \d+$/ });
    await opener.focus();
    await page.keyboard.press('Enter');
    expect(await opener.getAttribute('aria-expanded')).toBe('true');
    const details = page.locator('.is-below');
    await details.getByRole('button', { name: 'Copy request id' }).waitFor();
    const facts = await details.locator('dl > div').allTextContents();
    expect(facts).toEqual([
      expect.stringMatching(/^Request id[-\w]{36}Copy request id$/),
      'RequestGET /workspaces/{workspaceId}',
      expect.stringMatching(new RegExp(`^Keytest …\\w{4} ${signedIn.owner.email}$`)),
      'Errornot_found',
      expect.stringMatching(/^Time\d{4}-\d{2}-\d{2}T/),
      expect.stringMatching(/^Duration[\d.]+ m?s$/),
    ]);
    await page.keyboard.press('Enter');
    await details.waitFor({ state: 'detached' });
  });

  it('keeps its filters in the URL, where Back removes them', async () => {
    const { page } = visitor;
    await visitor.open('/requests');
    const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr');
    await rows.nth(2).waitFor();
    await page.getByLabel('Status').selectOption('4xx');
    await rows.nth(1).waitFor({ state: 'detached' });
    await page.getByText('not_found').waitFor();
    expect(new URL(page.url()).search).toBe('?status=4xx');
    await page.getByLabel('Method').selectOption('POST');
    await page.getByRole('heading', { level: 2, name: 'No request matches' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=4xx&method=POST');
    await page.goBack();
    await page.getByText('not_found').waitFor();
    expect(await page.getByLabel('Method').inputValue()).toBe('');
    await page.getByLabel('Method').selectOption('DELETE');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await rows.nth(2).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('is linked from a key, with the requests of this key', async () => {
    const { page } = visitor;
    await visitor.open('/profile/keys');
    await page.getByRole('button', { name: 'Actions for test' }).click();
    await page.getByRole('menuitem', { name: 'View log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Request log' }).waitFor();
    await page.getByText('GET /me').waitFor();
    const chosen = page.getByLabel('Key').locator('option:checked');
    expect(await chosen.textContent()).toMatch(/^test …/);
    await visitor.open(`/requests?key=${NO_ID}`);
    await page.getByRole('heading', { level: 2, name: 'No request matches' }).waitFor();
    expect(await chosen.textContent()).toBe('Another key');
  });

  it('is found by the palette', async () => {
    const { page } = visitor;
    await visitor.open('/workspaces');
    await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').fill('request log');
    await page.getByRole('option', { name: 'Request log' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Request log' }).waitFor();
    expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
  });
});
