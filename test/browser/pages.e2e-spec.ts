import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { source as axeSource } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { adminJson } from '../cli/admin';
import { ApiClient } from '../support/api-client';
import { dataOf } from '../support/fixture';
import { DESKTOP, openBrowser, PHONE, Visitor } from './browser';
import { CONSOLE_PAGES, type Places } from './console-pages';
import { freshStart, type FreshStart } from './fresh-start';

// Each page is opened three times over.
jest.setTimeout(240_000);

/** Where `npm run console:screenshots` wants a picture of each. */
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
  const { settings } = start.installation;
  const { url } = (await adminJson(settings, 'user', 'invite', '--email', start.email)) as {
    url: string;
  };
  const inviteToken = new URL(url).pathname.split('/').at(-1) ?? '';
  places = { workspaceId, datagridId: datagrid?.id ?? '', inviteToken };
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
});

afterAll(async () => {
  await browser.close();
  await start.stop();
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** WCAG 2.2 up to AA, and what axe calls best practice. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  // The page's policy lets in no script of a stranger: this one comes as the browser's own.
  const violations = await page.evaluate(`${axeSource}; axe.run().then((r) => r.violations)`);
  return (violations as Violation[]).flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** Nothing makes a person scroll sideways. */
const overflows = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe.each(Object.entries(LOOKS))('every page, %s', (look, options) => {
  let visitor: Visitor;
  let stranger: Visitor;

  beforeAll(async () => {
    visitor = await Visitor.arrive(browser, start.origin, options);
    stranger = await Visitor.arrive(browser, start.origin, options);
    await visitor.signIn(start.email, start.password);
  });

  afterAll(async () => {
    await Promise.all([visitor.leave(), stranger.leave()]);
  });

  it.each(CONSOLE_PAGES)('$name has nothing that axe finds, and fits', async (each) => {
    const { page } = each.isSignedOut ? stranger : visitor;
    await (each.isSignedOut ? stranger : visitor).open(each.path(places));
    await each.show(page);
    if (pictures !== undefined) {
      await page.screenshot({ path: join(pictures, `${each.name}-${look}.png`) });
    }
    expect(await violationsOn(page)).toEqual([]);
    expect(await overflows(page)).toBe(false);
  });

  it('runs no script that fails or is refused, and asks nobody else for anything', () => {
    expect([...visitor.complaints, ...stranger.complaints]).toEqual([]);
    expect([...visitor.strangers, ...stranger.strangers]).toEqual([]);
  });
});
