import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { adminJson } from '../cli/admin';
import { ApiClient } from '../support/api-client';
import { dataOf } from '../support/fixture';
import { DESKTOP, openBrowser, PHONE, Visitor } from './browser';
import { CONSOLE_PAGES, type Places } from './console-pages';
import { freshStart, type FreshStart } from './fresh-start';
import { violationsOn } from './violations';

// Each page is opened three times.
jest.setTimeout(240_000);

/** Directory for screenshots, set by `npm run console:screenshots`. */
const pictures = process.env['SCREENSHOT_DIR'];

const LOOKS = {
  light: { view: DESKTOP, colorScheme: 'light' },
  dark: { view: DESKTOP, colorScheme: 'dark' },
  phone: { view: PHONE, colorScheme: 'light' },
} as const;

let start: FreshStart;
let browser: Browser;
let places: Places;

beforeAll(async () => {
  [start, browser] = await Promise.all([freshStart(), openBrowser()]);
  const api = new ApiClient(start.origin, start.apiKey);
  const [workspace] = dataOf(await api.get('/workspaces'), 200) as { id: string }[];
  const workspaceId = workspace?.id ?? '';
  const list = await api.get(`/workspaces/${workspaceId}/datagrids`);
  const [datagrid] = dataOf(list, 200) as { id: string }[];
  const webhooks = `/workspaces/${workspaceId}/webhooks`;
  // The name does not exist, so that the delivery fails.
  const url = 'https://hooks.example/datagrid';
  const webhook = dataOf(await api.post(webhooks, { url }), 201) as { id: string };
  dataOf(await api.post(`${webhooks}/${webhook.id}/test`, {}), 200);
  const lake = { name: 'Lake', type: 'duckdb', settings: { file: 'demo' } };
  const connection = await api.post(`/workspaces/${workspaceId}/connections`, lake);
  const { id: connectionId } = dataOf(connection, 201) as { id: string };
  const { settings } = start.installation;
  const invite = (await adminJson(settings, 'user', 'invite', '--email', start.email)) as {
    url: string;
  };
  const inviteToken = new URL(invite.url).pathname.split('/').at(-1) ?? '';
  const datagridId = datagrid?.id ?? '';
  places = { workspaceId, datagridId, webhookId: webhook.id, connectionId, inviteToken };
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
});

afterAll(async () => {
  await browser.close();
  await start.stop();
});

/** Returns true if the page scrolls horizontally. */
const overflows = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe.each(Object.entries(LOOKS))('the console (%s)', (look, options) => {
  let visitor: Visitor;
  let anonymous: Visitor;

  beforeAll(async () => {
    visitor = await Visitor.arrive(browser, start.origin, options);
    anonymous = await Visitor.arrive(browser, start.origin, options);
    await visitor.signIn(start.email, start.password);
  });

  afterAll(async () => {
    await Promise.all([visitor.leave(), anonymous.leave()]);
  });

  it.each(CONSOLE_PAGES)(
    'has no accessibility violations and no horizontal scrolling on the page $name',
    async (each) => {
      const { page } = each.isSignedOut ? anonymous : visitor;
      await (each.isSignedOut ? anonymous : visitor).open(each.path(places));
      await each.show(page);
      if (pictures !== undefined) {
        await page.screenshot({ path: join(pictures, `${each.name}-${look}.png`) });
      }
      expect(await violationsOn(page)).toEqual([]);
      expect(await overflows(page)).toBe(false);
    },
  );

  it('has no script errors or blocked scripts, and calls no other origin', () => {
    expect([...visitor.errors, ...anonymous.errors]).toEqual([]);
    expect([...visitor.foreignRequests, ...anonymous.foreignRequests]).toEqual([]);
  });
});
