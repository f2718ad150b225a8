import { newWebhook, newWorkspace, NO_ID } from '../support/fixture';
import { TestApp } from '../support/test-app';
import { adminError, adminJson } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});

afterAll(() => app.close());

describe('webhook resync', () => {
  it('prints for how many webhooks and datagrids changes.gap is sent', async () => {
    const settings = { DATABASE_URL: app.database.url };
    const { api, accountId } = await app.newAccount();
    const workspaceId = await newWorkspace(api);
    for (const name of ['a', 'b']) await api.post(`/workspaces/${workspaceId}/datagrids`, { name });
    await newWebhook(api, workspaceId);
    const own = await adminJson(settings, 'webhook', 'resync', '--account', accountId);
    expect(own).toEqual({ webhooks: 1, datagrids: 2 });
    const all = await adminJson(settings, 'webhook', 'resync');
    expect(all).toEqual({ webhooks: 1, datagrids: 2 });
    const unknown = await adminError(settings, 'webhook', 'resync', '--account', NO_ID);
    expect(unknown).toEqual({ code: 'not_found', message: `Account ${NO_ID} not found.` });
  });
});
