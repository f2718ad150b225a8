import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { violationsOn } from './violations';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const VALUE = { list: [1, 0.1], name: 'a' };

let signedIn: SignedIn;
let visitor: Visitor;
let api: ApiClient;
let path: string;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor, api } = signedIn);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  path = await newDatagrid(api, [{ key: 'extra', type: 'json' }]);
  dataOf(await api.post(`${path}/rows`, { values: { extra: VALUE } }), 201);
  await visitor.open(path);
  await signedIn.cell(1, 'extra').getByText('list').waitFor();
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const field = (): Locator => visitor.page.locator('.json-editor textarea');
const status = (): Locator => visitor.page.locator('.json-editor').getByRole('status');

async function open(): Promise<void> {
  await signedIn.cell(1, 'extra').dblclick();
  await field().and(visitor.page.locator(':focus')).waitFor();
}

const kinds = async (kind: string): Promise<string[]> =>
  visitor.page.locator(`.json-editor .json-${kind}`).allTextContents();

const isNow = async (extra: unknown): Promise<void> => {
  await eventually(async () => {
    const { values } = dataOf(await api.get(`${path}/rows/1`), 200) as { values: object };
    return JSON.stringify(values) === JSON.stringify({ extra });
  });
};

describe('the editor of a JSON cell', () => {
  it('shows the value over several lines and in colors', async () => {
    await open();
    expect(await field().inputValue()).toBe(JSON.stringify(VALUE, null, 2));
    expect(await kinds('key')).toEqual(['"list"', '"name"']);
    expect(await kinds('number')).toEqual(['1', '0.1']);
    expect(await kinds('string')).toEqual(['"a"']);
    expect(await violationsOn(visitor.page)).toEqual([]);
  });

  it('saves nothing if nothing was changed', async () => {
    await open();
    await visitor.page.keyboard.press('End');
    await visitor.page.keyboard.type(' ');
    await visitor.page.keyboard.press('Enter');
    await field().waitFor({ state: 'hidden' });
    await visitor.page.getByRole('button', { name: 'Refresh' }).click();
    expect(dataOf(await api.get(`${path}/rows/1`), 200).revision).toBe(1);
  });

  it('says where the first error is, and keeps a text that is not JSON in the cell', async () => {
    await open();
    await field().fill('{\n  "a": 1,\n}');
    await status().getByText('Line 3, column 1: expected a key in double quotes').waitFor();
    expect(await visitor.page.locator('.json-editor [data-wrong]').textContent()).toBe('}');
    expect(await field().getAttribute('aria-invalid')).toBe('true');
    await visitor.page.keyboard.press('Enter');
    await visitor.sees('This is not JSON');
    await open();
    expect(await field().inputValue()).toBe('{\n  "a": 1,\n}');
    await field().fill('{\n  "a": 1\n}');
    expect(await status().textContent()).toBe('');
    await visitor.page.keyboard.press('Enter');
    await isNow({ a: 1 });
  });

  it('formats and sends every digit as it was typed', async () => {
    const sent: string[] = [];
    visitor.page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postData() ?? '');
    });
    await open();
    await field().fill('{"big": 12345678901234567890.10,"e":1E2}');
    await visitor.page.keyboard.press('Control+Shift+F');
    expect(await field().inputValue()).toBe('{\n  "big": 12345678901234567890.10,\n  "e": 1E2\n}');
    await field().press('Control+A');
    await visitor.page.keyboard.press('Enter');
    await eventually(() => sent[0]);
    expect(sent[0]).toBe('{"values":{"extra":{"big":12345678901234567890.10,"e":1E2}}}');
    // The service rejects a number that it cannot keep, and the text stays.
    await visitor.page.locator('.cell-rejected').waitFor();
    await open();
    await field().fill('[1E2]');
    await visitor.page.getByRole('button', { name: 'Format' }).click();
    expect(await field().inputValue()).toBe('[\n  1E2\n]');
    await visitor.page.keyboard.press('Enter');
    await isNow([100]);
  });
});
