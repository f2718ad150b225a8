import { UserService } from '../../../src/auth/user/user.service';
import type { Json } from '../../support/api-client';
import { sendMessage } from '../../support/mcp-client';
import { OauthApplication, tokensOf } from '../../support/oauth-application';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let replica: TestApp;
let user: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  replica = await TestApp.start({ database: app.database });
});

afterAll(async () => {
  await replica.close();
  await app.close();
});

beforeEach(async () => {
  user = await app.newUser((await app.newAccount()).accountId, 'editor');
});

const statuses = (token: string): Promise<number[]> =>
  Promise.all(
    [app, replica].map(
      async ({ origin }) =>
        (await sendMessage(origin, token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status,
    ),
  );

describe('the token of an application', () => {
  it('is accepted by no instance after a revocation has returned', async () => {
    const application = await OauthApplication.registered(app.origin);
    const session = await app.console(user);
    const { access } = await application.tokens(session);
    expect(await statuses(access)).toEqual([200, 200]);
    const [grant] = (await session.get('/applications')).body.data as Json[];
    expect((await session.delete(`/applications/${String(grant?.id)}`)).status).toBe(204);
    expect(await statuses(access)).toEqual([401, 401]);
  });

  it('is accepted by no instance after the reuse of a refresh token was noticed', async () => {
    const application = await OauthApplication.registered(app.origin);
    const first = await application.tokens(await app.console(user));
    const second = tokensOf(await application.refresh(first.refresh));
    expect(await statuses(second.access)).toEqual([200, 200]);
    expect((await application.refresh(first.refresh)).status).toBe(400);
    expect(await statuses(second.access)).toEqual([401, 401]);
  });

  it('returns 403 on every instance after the user is suspended', async () => {
    const application = await OauthApplication.registered(app.origin);
    const { access } = await application.tokens(await app.console(user));
    expect(await statuses(access)).toEqual([200, 200]);
    await app.nest.get(UserService).setSuspended(user.email, true);
    expect(await statuses(access)).toEqual([403, 403]);
  });
});
