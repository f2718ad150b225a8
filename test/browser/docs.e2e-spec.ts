import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually';
import { dataOf } from '../support/fixture';
import { PHONE, type Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
/** Has the API reference open, and is not signed in. */
let reader: Visitor;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  reader = await signedIn.stranger();
  await openDocs(reader);
});

afterAll(() => signedIn.leave());

const operation = ({ page }: Visitor, id: string): Locator => page.locator(`#operations-${id}`);

async function openDocs(visitor: Visitor): Promise<void> {
  await visitor.open('/docs');
  await operation(visitor, 'Rows-listRows').waitFor();
}

/** Opens an operation, fills its fields by their names, and sends the call. */
async function tryOut(
  visitor: Visitor,
  id: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Locator> {
  const route = operation(visitor, id);
  if ((await route.getByRole('button', { name: 'Try it out' }).count()) === 0) {
    await route.locator('.opblock-summary-control').click();
  }
  await route.getByRole('button', { name: 'Try it out' }).click();
  for (const [name, value] of Object.entries(fields)) {
    await route.getByRole('textbox', { name, exact: true }).fill(value);
  }
  await route.getByRole('button', { name: 'Execute' }).click();
  return route;
}

const status = (route: Locator, code: number): Promise<void> =>
  route
    .locator('.live-responses-table .response-col_status')
    .getByText(String(code), { exact: true })
    .waitFor();

describe.each(['light', 'dark'] as const)('the API reference (%s)', (colorScheme) => {
  it('has no accessibility violations, script errors or calls to other origins', async () => {
    const visitor = await signedIn.stranger({ colorScheme });
    await openDocs(visitor);
    expect(await visitor.page.title()).toBe('API reference · Datagrids');
    const background = `getComputedStyle(document.querySelector('.swagger-ui')).backgroundColor`;
    expect(await visitor.page.evaluate(background)).toBe('rgba(0, 0, 0, 0)');
    const route = await tryOut(visitor, 'Me-getMe');
    await status(route, 401);
    await operation(visitor, 'Rows-createRow').locator('.opblock-summary-control').click();
    // Other colors do not change what the page contains.
    const isContrastOnly = colorScheme === 'dark';
    expect(await violationsOn(visitor.page, { isContrastOnly })).toEqual([]);
    const within = '.modal-ux';
    await visitor.page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await visitor.page.locator(within).waitFor();
    expect(await violationsOn(visitor.page, { isContrastOnly, within })).toEqual([]);
    expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
    await visitor.leave();
  });
});

describe('the API reference', () => {
  it('is painted while its scripts are still on their way', async () => {
    const visitor = await signedIn.stranger();
    const release = await visitor.hold('**/docs/*.js');
    await visitor.openUntilPainted('/docs');
    expect(await operation(visitor, 'Rows-listRows').count()).toBe(0);
    await release();
    await operation(visitor, 'Rows-listRows').waitFor();
    await visitor.leave();
  });

  it('folds its sections on a phone, where a choice closes them, without accessibility violations', async () => {
    const visitor = await signedIn.stranger({ view: PHONE });
    await openDocs(visitor);
    const { page } = visitor;
    expect(await violationsOn(page)).toEqual([]);
    const sections = page.getByRole('navigation', { name: 'Sections' });
    const link = sections.getByRole('link', { name: 'Webhooks', exact: true });
    expect(await link.isVisible()).toBe(false);
    await sections.getByText('Contents').click();
    await link.click();
    await link.waitFor({ state: 'hidden' });
    const below = ((await sections.boundingBox())?.y ?? 0) + 30;
    await eventually(async () => {
      const top = (await page.locator('#operations-tag-Webhooks').boundingBox())?.y ?? -1;
      return top >= below && top < below + 150;
    });
    await visitor.leave();
  });

  it('has a navigation of its sections at the left, and lines of at most 80 characters', async () => {
    const visitor = reader;
    const { page } = visitor;
    const sections = page.getByRole('navigation', { name: 'Sections' });
    const guide = sections.getByRole('list', { name: 'Guide' }).getByRole('link');
    const operations = sections.getByRole('list', { name: 'Operations' }).getByRole('link');
    expect((await guide.allTextContents()).slice(0, 2)).toEqual(['Authentication', 'Responses']);
    expect(await operations.allTextContents()).toContain('Deleted rows');
    await operations.getByText('Webhooks', { exact: true }).click();
    const heading = page.locator('#operations-tag-Webhooks');
    await eventually(async () => {
      const top = (await heading.boundingBox())?.y ?? -1;
      return top >= 48 && top < 200;
    });
    const left = await sections.boundingBox();
    const content = await page.locator('#swagger-ui').boundingBox();
    expect((left?.y ?? 0) + (left?.height ?? 0)).toBe(page.viewportSize()?.height);
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(content?.x ?? 0);
    await page.setViewportSize({ width: 1920, height: 1000 });
    const text = page.getByText('With the REST API, you read and write');
    // A character of this font is less than 10 px wide.
    expect((await text.boundingBox())?.width).toBeLessThan(800);
    expect(visitor.errors).toEqual([]);
  });

  it('shows Authorize and a search of operations at once, and keeps them in view', async () => {
    const visitor = await signedIn.stranger();
    await openDocs(visitor);
    const { page } = visitor;
    const authorize = page.getByRole('button', { name: 'Authorize', exact: true });
    const search = page.getByRole('textbox', { name: 'Search operations' });
    expect((await authorize.boundingBox())?.y).toBeLessThan(150);
    await search.fill('delete records');
    const names = page.locator('.opblock-summary-path');
    await eventually(async () => (await names.count()) < 20);
    expect(await operation(visitor, 'Rows-deleteRow').isVisible()).toBe(true);
    expect(await operation(visitor, 'Workspaces-deleteWorkspace').count()).toBe(0);
    await search.fill('');
    const last = page.locator('.opblock').last();
    await last.scrollIntoViewIfNeeded();
    await eventually(async () => ((await authorize.boundingBox())?.y ?? 999) < 150);
    await search.fill('POST aggregate');
    await eventually(async () => (await names.count()) === 1);
    expect(await operation(visitor, 'Rows-aggregateRows').isVisible()).toBe(true);
    expect(visitor.errors).toEqual([]);
    await visitor.leave();
  });

  it('shows the limits of parameters, and links to the guide of an operation', async () => {
    const { page } = reader;
    const route = operation(reader, 'Workspaces-listWorkspaces');
    await route.locator('.opblock-summary-control').click();
    const limit = route.locator('tr[data-param-name=limit]');
    expect(await limit.textContent()).toMatch(/maximum: 200/);
    const link = route.getByRole('link', { name: '/docs/guides/api/workspaces' });
    const target = new URL((await link.getAttribute('href')) ?? '', page.url());
    expect(target.pathname).toBe('/docs/guides/api/workspaces');
    await route.locator('.opblock-summary-control').click();
    await page.getByRole('link', { name: 'Guides', exact: true }).waitFor();
  });

  it.each([
    ['light', undefined],
    ['dark', undefined],
    ['light', PHONE],
  ] as const)('has guides without accessibility violations (%s, %j)', async (colorScheme, view) => {
    const visitor = await signedIn.stranger({ colorScheme, ...(view && { view }) });
    await visitor.open('/docs/guides');
    await visitor.page.getByRole('main').getByRole('link', { name: 'Paging' }).first().click();
    await visitor.page.getByRole('heading', { name: 'Page numbers', exact: true }).waitFor();
    expect(await violationsOn(visitor.page)).toEqual([]);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await visitor.page.evaluate(overflow)).toBe(0);
    expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
    await visitor.leave();
  });

  it('takes an API key from a visitor who is not signed in', async () => {
    const visitor = await signedIn.stranger();
    await openDocs(visitor);
    await visitor.sees('Not signed in. Calls need an API key.');
    await visitor.page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const dialog = visitor.page.locator('.modal-ux');
    await dialog.getByLabel('Value').fill(signedIn.owner.key);
    await dialog.getByRole('button', { name: 'Authorize, apply credentials' }).click();
    await dialog.locator('.btn-done').click();
    await status(await tryOut(visitor, 'Me-getMe'), 200);
    await visitor.leave();
  });

  it('sends calls with the session of a user who is signed in, until the session ends', async () => {
    const visitor = await signedIn.another();
    await openDocs(visitor);
    await visitor.sees(/^Signed in as /);
    const route = await tryOut(visitor, 'Workspaces-createWorkspace', {
      'Request body': '{ "name": "From the reference" }',
    });
    await status(route, 201);
    expect(await route.locator('.curl').textContent()).toContain('Bearer YOUR_API_KEY');
    const list = dataOf(await signedIn.api.get('/workspaces'), 200) as { name: string }[];
    expect(list.map(({ name }) => name)).toContain('From the reference');
    await visitor.context.clearCookies();
    await status(await tryOut(visitor, 'Me-getMe'), 401);
    await visitor.sees('Not signed in. Calls need an API key.');
    await visitor.leave();
  });

  it('describes the operations of rows once, with empty fields for optional parameters', async () => {
    const visitor = reader;
    expect(await visitor.page.locator('[id^="operations-Records"]').count()).toBe(0);
    await visitor.sees('Every path also works with records in place of rows.');
    const route = operation(visitor, 'Rows-listRows');
    await route.locator('.opblock-summary-control').click();
    await route.getByRole('button', { name: 'Try it out' }).click();
    expect(await route.getByRole('textbox', { name: 'filter', exact: true }).inputValue()).toBe('');
  });
});
