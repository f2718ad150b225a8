import type { Browser } from 'playwright-core';
import { TestApp } from '../support/test-app';
import { openBrowser, Visitor } from './browser';

// Starts a service, a database and a browser.
jest.setTimeout(120_000);

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([TestApp.start(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await app.close();
});

it('the page at /docs shows the parameters of a route, has no script errors or blocked scripts, and calls no other origin', async () => {
  const visitor = await Visitor.arrive(browser, app.origin);
  await visitor.open('/docs');
  await visitor.sees('Datagrid platform: public API');
  const route = visitor.page.locator('#operations-Rows-listRows');
  await route.getByRole('button').first().click();
  await visitor.sees('Parameters');
  expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
  await visitor.leave();
});
