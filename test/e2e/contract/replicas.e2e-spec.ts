import { AccountService } from '../../../src/auth/account.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { UserService } from '../../../src/auth/user/user.service';
import { expectFailure } from '../../support/failure';
import { newTeam } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let replica: TestApp;

beforeAll(async () => {
  app = await TestApp.shared();
  replica = await TestApp.start({ database: app.database });
});

afterAll(async () => {
  await replica.close();
  await app.close();
});

describe('a revoked API key', () => {
  it('returns 401 on every instance from the next request', async () => {
    const { editor } = await newTeam(app);
    const { id, key } = await app.nest
      .get(ApiKeyService)
      .create(editor.userId, 'Other', null, 'operator');
    for (const server of [app, replica])
      expect((await server.api(key).get('/me')).status).toBe(200);
    await app.nest.get(ApiKeyService).revoke(id, 'operator');
    for (const server of [app, replica]) {
      expectFailure(await server.api(key).get('/me'), 'unauthenticated');
      expect((await server.api(editor.key).get('/me')).status).toBe(200);
    }
  });
});

describe('the API keys of a user', () => {
  it('return 403 on every instance from the next request after the user is suspended', async () => {
    const { editor } = await newTeam(app);
    expect((await replica.api(editor.key).get('/me')).status).toBe(200);
    await app.nest.get(UserService).setSuspended(editor.email, true);
    for (const server of [app, replica]) {
      expectFailure(await server.api(editor.key).get('/workspaces'), 'account_suspended');
    }
  });

  it('return 403 on every instance from the next request after the account is suspended', async () => {
    const { owner, viewer } = await newTeam(app);
    expect((await replica.api(viewer.key).get('/me')).status).toBe(200);
    await app.nest.get(AccountService).setSuspended(owner.accountId, true);
    for (const server of [app, replica]) {
      expectFailure(await server.api(viewer.key).get('/workspaces'), 'account_suspended');
    }
  });

  it('have the lowered role on every instance from the next request', async () => {
    const { admin } = await newTeam(app);
    expect((await replica.api(admin.key).post('/workspaces', { name: 'A' })).status).toBe(201);
    await app.nest.get(UserService).setRole(admin.email, 'editor');
    for (const server of [app, replica]) {
      const response = await server.api(admin.key).post('/workspaces', { name: 'B' });
      expectFailure(response, 'forbidden');
      expect((await server.api(admin.key).get('/me')).body.data.role).toBe('editor');
    }
  });
});
