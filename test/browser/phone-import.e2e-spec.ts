import { dataOf } from '../support/fixture';
import { PHONE } from './browser';
import { newDemo, SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  // Otherwise the page shows the first steps of a new account.
  await newDemo(signedIn.api);
});

afterAll(() => signedIn.leave());

/** Runs in the page: the top of each button of the dialog, and whether its text is whole. */
const BUTTONS = `[...document.querySelectorAll('.import-actions .mantine-Button-label')].map((one) => ({
  top: one.closest('button').offsetTop,
  isWhole: one.scrollWidth <= one.clientWidth,
}))`;

it('has whole buttons on a phone, side by side below the preview', async () => {
  const { visitor, api } = signedIn;
  const { page } = visitor;
  const workspace = dataOf(await api.post('/workspaces', { name: 'Imports' }), 201).id as string;
  await page.setViewportSize(PHONE);
  await visitor.open(`/workspaces/${workspace}`);
  await page.getByRole('button', { name: 'New datagrid from a file' }).click();
  const buffer = Buffer.from('n\n1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'n.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Import 9 rows' }).waitFor();
  const [another, start] = await page.evaluate<object[]>(BUTTONS);
  expect(start).toEqual({ ...another, isWhole: true });
  await page.getByRole('button', { name: 'Import 9 rows' }).click();
  await page.getByRole('button', { name: /^Undo/ }).waitFor();
  const buttons = await page.evaluate<object[]>(BUTTONS);
  expect(buttons).toEqual(Array(3).fill(expect.objectContaining({ isWhole: true })));
  expect(visitor.errors).toEqual([]);
});
