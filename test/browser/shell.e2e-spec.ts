import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually';
import { newDatagrid } from '../support/fixture';
import { DESKTOP, PHONE, type Visitor } from './browser';
import { newDemo, SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;
let visitor: Visitor;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  await newDemo(signedIn.api);
});

afterAll(() => signedIn.leave());

afterEach(async () => {
  expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
  await visitor.leave();
});

const arrive = async (view = DESKTOP): Promise<void> => {
  visitor = await signedIn.another({ view });
  await visitor.open('/workspaces');
};

const navigation = (): Locator => visitor.page.getByRole('navigation', { name: 'Main' });
const link = (name: string): Locator => navigation().getByRole('link', { name, exact: true });

describe('the navigation of the console', () => {
  it('leads to every page that an owner may open, and marks the current one', async () => {
    await arrive();
    for (const [name, heading] of [
      ['Webhooks', 'Webhooks'],
      ['Connections', 'Connections'],
      ['API keys', 'API keys'],
      ['Users', 'Users'],
      ['Audit log', 'Audit log'],
      ['Trash', 'Trash'],
      ['Datagrids', 'Workspaces'],
    ] as const) {
      await link(name).click();
      await visitor.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      expect(await link(name).getAttribute('aria-current')).toBe('page');
    }
  });

  it('finds a datagrid by a part of its name and opens it', async () => {
    await arrive();
    await navigation().getByRole('searchbox', { name: 'Find a datagrid' }).fill('no such');
    await link('Airports').waitFor({ state: 'hidden' });
    await navigation().getByRole('searchbox', { name: 'Find a datagrid' }).fill('AIRP');
    await link('Airports').click();
    await visitor.page.getByRole('heading', { level: 1, name: 'Airports' }).waitFor();
  });

  it('lists a datagrid that a program has just made', async () => {
    visitor = await signedIn.another();
    await visitor.page.clock.install();
    await visitor.open('/workspaces');
    await link('Airports').waitFor();
    const { data } = (await signedIn.api.get('/workspaces')).body as { data: { id: string }[] };
    await newDatagrid(signedIn.api, [], data[0]?.id, 'Made by a program');
    await visitor.seesAfterReads(link('Made by a program'));
  });

  it('can be collapsed on every page, and stays so on the next visit', async () => {
    await arrive();
    const toggle = (name: string): Locator =>
      visitor.page.getByRole('button', { name: `${name} the sidebar` });
    for (const path of ['/workspaces', '/profile/keys', '/requests', '/users', '/audit']) {
      await visitor.open(path);
      await toggle('Collapse').click();
      await toggle('Expand').waitFor();
      await eventually(async () => ((await navigation().boundingBox())?.width ?? 60) < 60);
      await visitor.page.reload();
      await toggle('Expand').click();
      await navigation().getByText('API keys').waitFor();
    }
    // A long tree does not move the button out of the window.
    await visitor.page.setViewportSize({ width: 1280, height: 320 });
    await eventually(async () => {
      const box = await toggle('Collapse').boundingBox();
      return box !== null && box.y + box.height <= 320;
    });
  });

  it('is collapsed beside rows, stays as the user decides, and is a drawer on a phone', async () => {
    await arrive();
    await link('Airports').click();
    await visitor.page.getByRole('button', { name: 'Expand the sidebar' }).click();
    await visitor.page.reload();
    await link('Airports').waitFor();
    await visitor.leave();
    await arrive(PHONE);
    await visitor.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    expect(await navigation().count()).toBe(0);
    await visitor.page.getByRole('button', { name: 'Menu' }).click();
    await link('API keys').click();
    await visitor.page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await navigation().waitFor({ state: 'hidden' });
  });
});

it('an unknown address shows a designed page to a browser', async () => {
  await arrive();
  await visitor.open('/nonsense');
  await visitor.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  await visitor.page.getByRole('link', { name: 'Go to the datagrids' }).click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
});

it('a datagrid that does not exist leads to the trash, and offers no retry', async () => {
  await arrive();
  const { page } = visitor;
  await visitor.open('/datagrids/00000000-0000-7000-8000-000000000000');
  await page.getByRole('heading', { level: 2, name: 'Not found' }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Open the trash' }).click();
  await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
});

it.each([
  ['the sign-in page', '/sign-in', 'Sign in'],
  ['the list of workspaces', '/workspaces', 'Workspaces'],
] as const)(
  '%s paints its frame while its scripts and styles are still on their way',
  async (_, path, title) => {
    visitor = await (path === '/sign-in' ? signedIn.stranger() : signedIn.another());
    const { page } = visitor;
    const release = await visitor.hold('**/assets/**');
    await visitor.openUntilPainted(path);
    expect(await page.locator('.boot-header').isVisible()).toBe(true);
    await release();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await page.locator('.boot-header').count()).toBe(0);
  },
);
