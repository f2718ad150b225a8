import type { Locator } from 'playwright-core';
import type { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { violationsOn } from './violations';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const options = { choices: ['small', 'medium', 'extra small'] };
const COLUMNS = [
  { key: 'size', type: 'select', options },
  { key: 'tags', type: 'multiSelect', options },
  { key: 'note', type: 'text' },
];

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
  path = await newDatagrid(api, COLUMNS);
  const rows = [{ values: { size: 'small', tags: ['small'], note: 'first' } }, { values: {} }];
  dataOf(await api.post(`${path}/rows`, { rows }), 201);
  await visitor.open(path);
  await signedIn.cell(1, 'note').getByText('first').waitFor();
});

afterEach(() => {
  expect(visitor.errors).toEqual([]);
});

const field = (): Locator => visitor.page.getByRole('combobox');

/** Opens the editor of a cell and presses keys. */
async function edit(row: number, column: string, ...keys: readonly string[]): Promise<void> {
  await signedIn.cell(row, column).dblclick();
  await field().and(visitor.page.locator(':focus')).waitFor();
  for (const key of keys) await visitor.page.keyboard.press(key);
}

const listed = async (): Promise<string[]> => visitor.page.getByRole('option').allTextContents();

const chips = async (row: number, column: string): Promise<string[]> =>
  signedIn.cell(row, column).locator('.cell-chip').allTextContents();

const isNow = async (row: number, column: string, value: unknown): Promise<void> => {
  await eventually(async () => {
    const { body } = await api.get(`${path}/rows/${String(row)}`);
    const now = body.data?.values?.[column] as unknown;
    return JSON.stringify(now) === JSON.stringify(value);
  });
};

const choicesNow = async (column: string): Promise<unknown> =>
  dataOf(await api.get(`${path}/columns/${column}`), 200).options;

describe('the editor of one choice', () => {
  it('filters while the user types, and Enter takes the first match and moves down', async () => {
    await edit(1, 'size', 'm');
    expect(await listed()).toEqual(['medium', 'small', 'extra small', 'Add choice “m”']);
    await visitor.page.keyboard.press('e');
    expect(await listed()).toEqual(['medium', 'Add choice “me”']);
    expect(await violationsOn(visitor.page)).toEqual([]);
    await visitor.page.keyboard.press('Enter');
    await isNow(1, 'size', 'medium');
    await eventually(async () => (await chips(1, 'size')).join() === 'medium');
    await visitor.page.locator('[row-index="1"] [col-id="size"]:focus-within').waitFor();
  });

  it('takes the choice that the arrows reach, and removes it with Backspace', async () => {
    await edit(1, 'size', 'ArrowDown', 'ArrowDown', 'Enter');
    await isNow(1, 'size', 'extra small');
    await edit(1, 'size', 'Backspace', 'Enter');
    await isNow(1, 'size', undefined);
  });

  it('takes a choice by a click, and keeps the value after Escape', async () => {
    await edit(1, 'size', 'x', 'Escape');
    await field().waitFor({ state: 'hidden' });
    expect(await chips(1, 'size')).toEqual(['small']);
    await edit(1, 'size');
    await visitor.page.getByRole('option', { name: 'medium' }).click();
    await field().waitFor({ state: 'hidden' });
    await isNow(1, 'size', 'medium');
  });
});

describe('the editor of several choices', () => {
  it('adds and removes chips, and saves them once with Tab', async () => {
    await edit(1, 'tags', 'm', 'Enter', 'e', 'x', 'Enter', 's', 'Enter');
    await visitor.page.getByRole('button', { name: 'Remove small', exact: true }).click();
    await visitor.page.keyboard.press('Tab');
    await isNow(1, 'tags', ['medium', 'extra small']);
    expect(dataOf(await api.get(`${path}/rows/1`), 200).revision).toBe(2);
    await visitor.page.locator('[row-index="0"] [col-id="note"]:focus-within').waitFor();
  });
});

describe('a text that is no choice', () => {
  it('is added to the choices of the column, and chosen', async () => {
    await edit(2, 'size');
    await visitor.page.keyboard.type('huge');
    await visitor.page.keyboard.press('Enter');
    await isNow(2, 'size', 'huge');
    expect(await choicesNow('size')).toEqual({ choices: [...options.choices, 'huge'] });
    await field().waitFor({ state: 'hidden' });
    await edit(1, 'size', 'h', 'Enter');
    await isNow(1, 'size', 'huge');
  });

  it('is added to several choices, beside one that somebody else has added', async () => {
    const theirs = { options: { choices: [...options.choices, 'theirs'] } };
    await edit(1, 'tags');
    await visitor.page.keyboard.type('mine');
    dataOf(await api.patch(`${path}/columns/tags`, theirs), 200);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('button', { name: 'Remove mine' }).waitFor();
    await visitor.page.keyboard.press('Enter');
    await isNow(1, 'tags', ['small', 'mine']);
    expect(await choicesNow('tags')).toEqual({ choices: [...options.choices, 'theirs', 'mine'] });
  });

  it('stays in the field with the reason if it cannot be added', async () => {
    await visitor.page.route('**/columns/size', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 409,
            json: { error: { code: 'conflict', message: 'The column cannot change now.' } },
          })
        : route.continue(),
    );
    await edit(1, 'size');
    await visitor.page.keyboard.type('huge');
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('alert').getByText('The column cannot change now.').waitFor();
    expect(await field().inputValue()).toBe('huge');
    await visitor.page.unroute('**/columns/size');
    await visitor.page.keyboard.press('Enter');
    await isNow(1, 'size', 'huge');
  });
});

describe('the form of a new row', () => {
  it('has the same field of choices', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Add row' }).click({ modifiers: ['Shift'] });
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'tags' }).click();
    await page.keyboard.type('med');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Remove medium' }).waitFor();
    await form.getByLabel('note').fill('third');
    await form.getByRole('button', { name: 'Add the row' }).click();
    await isNow(3, 'tags', ['medium']);
  });
});
