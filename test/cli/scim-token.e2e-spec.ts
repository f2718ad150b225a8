import { ScimTokenService } from '../../src/auth/scim-token/scim-token.service';
import { NO_ID } from '../support/fixture';
import { ScimClient } from '../support/scim-client';
import { TestApp } from '../support/test-app';
import { adminError, adminJson } from './admin';

let app: TestApp;
let settings: { readonly DATABASE_URL: string };

beforeAll(async () => {
  app = await TestApp.shared();
  settings = { DATABASE_URL: app.database.url };
});

afterAll(() => app.close());

describe('scim-token', () => {
  it('lists the tokens of an account, and revokes one', async () => {
    const { accountId } = await app.newAccount();
    const tokens = app.nest.get(ScimTokenService);
    const { token, record } = await tokens.create(accountId, 'Okta', null, 'operator');
    const { id, lastFour } = record;
    const listed = await adminJson(settings, 'scim-token', 'list', '--account', accountId);
    expect(listed).toMatchObject({ tokens: [{ id, name: 'Okta', lastFour, expiresAt: null }] });
    const revoke = ['scim-token', 'revoke', '--account', accountId, '--id', id];
    expect(await adminJson(settings, ...revoke)).toEqual({ id, revoked: true });
    expect((await new ScimClient(app.origin, token).get('/Users')).status).toBe(401);
    const message = `SCIM token ${id} not found.`;
    expect(await adminError(settings, ...revoke)).toEqual({ code: 'not_found', message });
    const unknown = await adminError(settings, 'scim-token', 'list', '--account', NO_ID);
    expect(unknown).toEqual({ code: 'not_found', message: `Account ${NO_ID} not found.` });
  });
});
