import type { Browser } from 'playwright-core';
import { ApiClient } from '../support/api-client';
import { dataOf, newDatagrid } from '../support/fixture';
import { openBrowser, PHONE, Visitor } from './browser';
import { freshStart, type FreshStart } from './fresh-start';

// Starts a service, a database and a browser.
jest.setTimeout(120_000);

let start: FreshStart;
let browser: Browser;

beforeAll(async () => {
  [start, browser] = await Promise.all([freshStart(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await start.stop();
});

/** Runs in the page: the columns whose cells are wholly on the screen. */
const SHOWN = `[...document.querySelectorAll('[row-index="0"] .ag-cell')].filter((cell) => {
  const { left, right } = cell.getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
}).map((cell) => cell.getAttribute('col-id'))`;

it('shows three columns on a phone', async () => {
  const api = new ApiClient(start.origin, start.apiKey);
  const keys = ['name', 'city', 'size', 'note'];
  const path = await newDatagrid(
    api,
    keys.map((key) => ({ key, type: 'text' })),
  );
  const values = Object.fromEntries(keys.map((key) => [key, `The ${key}`]));
  dataOf(await api.post(`${path}/rows`, { values }), 201);
  const visitor = await Visitor.arrive(browser, start.origin, { view: PHONE });
  await visitor.signIn(start.email, start.password);
  await visitor.open(path);
  await visitor.sees('The name');
  const shown = await visitor.page.evaluate<string[]>(SHOWN);
  expect(shown).toEqual(expect.arrayContaining(['name', 'city', 'size']));
  expect(visitor.errors).toEqual([]);
});
