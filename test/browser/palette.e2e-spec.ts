import type { ApiClient } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

describe('the palette', () => {
  it('opens with Ctrl+K and goes to a datagrid by its name, with keys alone', async () => {
    const { page } = visitor;
    const path = await newDatagrid(api, [{ key: 'a', type: 'text' }]);
    const { name } = dataOf(await api.get(path), 200) as { name: string };
    await visitor.open('/profile/keys');
    await page.getByRole('heading', { name: 'API keys' }).first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page or a datagrid' }).waitFor();
    await page.keyboard.type(name);
    await page.getByRole('option', { name }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${path}`);
    expect(visitor.errors).toEqual([]);
  });

  it('opens with the button in the header, without accessibility violations', async () => {
    const { page } = visitor;
    await visitor.open('/workspaces');
    await page.getByRole('button', { name: 'Search Ctrl K' }).click();
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('option', { name: 'API keys' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'hidden' });
  });

  it('lists the shortcuts with ?, but not while somebody types', async () => {
    const { page } = visitor;
    await visitor.open('/workspaces');
    await page.getByRole('searchbox').first().fill('');
    await page.keyboard.type('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.locator('#main').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Fill down').waitFor();
    await page.keyboard.press('Escape');
  });
});
