import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LazyModuleLoader } from '@nestjs/core';
import type { Browser, Page } from 'playwright-core';
import { InviteService } from '../../src/auth/invite/invite.service';
import { UserService } from '../../src/auth/user/user.service';
import { DemoModule } from '../../src/demo/demo.module';
import { DemoService } from '../../src/demo/demo.service';
import { dataOf } from '../support/fixture';
import { SQL_COPIES, TestApp } from '../support/test-app';
import { DESKTOP, PHONE, Visitor } from './browser';
import { CONSOLE_PAGES, type Places } from './console-pages';
import { sharedBrowser } from './shared-browser';
import { violationsOn } from './violations';

// Each page is opened three times.
jest.setTimeout(240_000);

/** Directory for screenshots, set by `npm run console:screenshots`. */
const pictures = process.env['SCREENSHOT_DIR'];

const EMAIL = 'demo@example.com';

const LOOKS = {
  light: { view: DESKTOP, colorScheme: 'light', isContrastOnly: false },
  // Other colors do not change what a page contains.
  dark: { view: DESKTOP, colorScheme: 'dark', isContrastOnly: true },
  phone: { view: PHONE, colorScheme: 'light', isContrastOnly: false },
} as const;

let app: TestApp;
let browser: Browser;
let files: string;
let signedIn: Visitor;
let places: Places;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'datagrid-pages-'));
  // A service of its own, with the demo of a first start, a directory for files, and copies for SQL.
  [app, browser] = await Promise.all([
    TestApp.start({ settings: { CONNECTION_FILES_DIR: files, COLUMNAR_DIR: SQL_COPIES } }),
    sharedBrowser(),
  ]);
  const { nest, origin } = app;
  const demo = (await nest.get(LazyModuleLoader).load(() => DemoModule)).get(DemoService);
  await demo.prepare();
  const access = await demo.firstAccess();
  if (!access) throw new Error('There is no demo.');
  const { key, password, datagridId } = access;
  signedIn = await Visitor.arrive(browser, origin);
  await signedIn.signIn(EMAIL, password);
  const api = app.api(key);
  const [workspace] = dataOf(await api.get('/workspaces'), 200) as { id: string }[];
  const workspaceId = workspace?.id ?? '';
  const webhooks = `/workspaces/${workspaceId}/webhooks`;
  // The name does not exist, so that the delivery fails.
  const url = 'https://hooks.example/datagrid';
  const webhook = dataOf(await api.post(webhooks, { url }), 201) as { id: string };
  dataOf(await api.post(`${webhooks}/${webhook.id}/test`, {}), 200);
  const lake = { name: 'Lake', type: 'duckdb', settings: { file: 'demo' } };
  const connection = await api.post(`/workspaces/${workspaceId}/connections`, lake);
  const { id: connectionId } = dataOf(connection, 201) as { id: string };
  const [owner] = await nest.get(UserService, { strict: false }).listByEmail(EMAIL);
  if (!owner) throw new Error('The owner is missing.');
  const invites = nest.get(InviteService, { strict: false });
  const { url: invite } = await invites.create(owner.user, 'operator', origin);
  const inviteToken = new URL(invite).pathname.split('/').at(-1) ?? '';
  places = { workspaceId, datagridId, webhookId: webhook.id, connectionId, inviteToken };
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
});

afterAll(async () => {
  await signedIn.leave();
  await app.close();
  await rm(files, { recursive: true, force: true });
});

/** Returns true if the page scrolls horizontally. */
const overflows = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe.each(Object.entries(LOOKS))('the console (%s)', (look, options) => {
  let visitor: Visitor;
  let anonymous: Visitor;

  beforeAll(async () => {
    visitor = await Visitor.arrive(browser, app.origin, options);
    anonymous = await Visitor.arrive(browser, app.origin, options);
    await visitor.context.addCookies(await signedIn.context.cookies());
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
      const { isContrastOnly } = options;
      const within = each.part === undefined ? {} : { within: each.part };
      expect(await violationsOn(page, { isContrastOnly, ...within })).toEqual([]);
      expect(await overflows(page)).toBe(false);
    },
  );

  it('has no script errors or blocked scripts, and calls no other origin', () => {
    expect([...visitor.errors, ...anonymous.errors]).toEqual([]);
    expect([...visitor.foreignRequests, ...anonymous.foreignRequests]).toEqual([]);
  });
});
