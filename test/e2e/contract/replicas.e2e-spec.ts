import { AccountService } from '../../../src/auth/account.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { UserService } from '../../../src/auth/user/user.service';
import type { Json } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { newTeam } from '../../support/fixture';
import { sendMessage } from '../../support/mcp-client';
import { OauthApplication, sendForm, tokensOf } from '../../support/oauth-application';
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

const mcpStatuses = (token: string): Promise<number[]> =>
  Promise.all(
    [app, replica].map(
      async ({ origin }) =>
        (await sendMessage(origin, token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status,
    ),
  );

/** An application that a user can authorize, at one instance and at the other. */
async function newApplication(): Promise<{
  readonly session: ConsoleClient;
  readonly application: OauthApplication;
  readonly elsewhere: Pick<OauthApplication, 'exchange' | 'refresh'>;
}> {
  const { editor: user } = await newTeam(app);
  const application = await OauthApplication.registered(app.origin);
  const { resource } = application;
  const form = { client_id: application.clientId };
  return {
    session: await app.console(user),
    application,
    elsewhere: {
      exchange: (code) =>
        sendForm(replica.origin, '/oauth/token', {
          ...{ ...form, grant_type: 'authorization_code', code, resource },
          ...{ redirect_uri: application.redirectUri, code_verifier: application.verifier },
        }),
      refresh: (token) =>
        sendForm(replica.origin, '/oauth/token', {
          ...{ ...form, grant_type: 'refresh_token', refresh_token: token },
        }),
    },
  };
}

describe('the token of an application', () => {
  it('is accepted by no instance after a revocation has returned', async () => {
    const { editor: user } = await newTeam(app);
    const application = await OauthApplication.registered(app.origin);
    const session = await app.console(user);
    const { access } = await application.tokens(session);
    expect(await mcpStatuses(access)).toEqual([200, 200]);
    const [grant] = (await session.get('/applications')).body.data as Json[];
    expect((await session.delete(`/applications/${String(grant?.id)}`)).status).toBe(204);
    expect(await mcpStatuses(access)).toEqual([401, 401]);
  });

  it('is accepted by no instance after the reuse of a refresh token was noticed', async () => {
    const { editor: user } = await newTeam(app);
    const application = await OauthApplication.registered(app.origin);
    const first = await application.tokens(await app.console(user));
    const second = tokensOf(await application.refresh(first.refresh));
    expect(await mcpStatuses(second.access)).toEqual([200, 200]);
    expect((await application.refresh(first.refresh)).status).toBe(400);
    expect(await mcpStatuses(second.access)).toEqual([401, 401]);
  });

  it('returns 403 on every instance after the user is suspended', async () => {
    const { editor: user } = await newTeam(app);
    const application = await OauthApplication.registered(app.origin);
    const { access } = await application.tokens(await app.console(user));
    expect(await mcpStatuses(access)).toEqual([200, 200]);
    await app.nest.get(UserService).setSuspended(user.email, true);
    expect(await mcpStatuses(access)).toEqual([403, 403]);
  });

  it('is given to one of two instances that exchange a code at the same time', async () => {
    const { session, application, elsewhere } = await newApplication();
    const code = await application.code(session);
    const both = await Promise.all([application.exchange(code), elsewhere.exchange(code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const given = both.find(({ status }) => status === 200);
    // The other one has used the code again, with its verifier.
    expect(await mcpStatuses(String(given?.body.access_token))).toEqual([401, 401]);
    expect((await session.get('/applications')).body.data).toEqual([]);
  });

  it('is given once for a refresh token that two instances get at the same time', async () => {
    const { session, application, elsewhere } = await newApplication();
    const { access, refresh } = await application.tokens(session);
    expect(await mcpStatuses(access)).toEqual([200, 200]);
    const both = await Promise.all([application.refresh(refresh), elsewhere.refresh(refresh)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const given = both.find(({ status }) => status === 200);
    for (const token of [access, String(given?.body.access_token)])
      expect(await mcpStatuses(token)).toEqual([401, 401]);
    expect((await session.get('/applications')).body.data).toEqual([]);
  });

  it('is not valid after a refresh and a revocation at the same time, whichever came first', async () => {
    for (let n = 0; n < 5; n++) {
      const { session, application, elsewhere } = await newApplication();
      const { access, refresh } = await application.tokens(session);
      const form = { token: access, client_id: application.clientId };
      const [grant] = (await session.get('/applications')).body.data as Json[];
      const [refreshed] = await Promise.all([
        elsewhere.refresh(refresh),
        n % 2 === 0
          ? sendForm(app.origin, '/oauth/revoke', form)
          : session.delete(`/applications/${String(grant?.id)}`),
      ]);
      const last = refreshed.status === 200 ? tokensOf(refreshed) : { access, refresh };
      const list = (await session.get('/applications')).body.data as Json[];
      // The application revokes by its access token. If that was replaced first, it is unknown.
      if (n % 2 === 0 && list.length > 0)
        await sendForm(app.origin, '/oauth/revoke', { ...form, token: last.access });
      for (const token of [access, last.access])
        expect(await mcpStatuses(token)).toEqual([401, 401]);
      expect((await application.refresh(last.refresh)).status).toBe(400);
    }
  });
});
