import { describeWithPythonFiles, runPython } from '../../support/python-files/python';

import { ScimTokenService } from '../../../src/auth/scim-token/scim-token.service';
import { expectScimError, ScimClient } from '../../support/scim-client';
import { TestApp } from '../../support/test-app';

const PROGRAM = `
import json
import sys
import uuid
from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

url, token = sys.argv[1:]
headers = {"Authorization": f"Bearer {token}"}
client = SyncSCIMClient(Client(base_url=url, headers=headers, timeout=60))
client.discover()
# The name of a user is an email address.
names = [f"{uuid.uuid4()}@example.com" for _ in range(10_000)]
client.get_resource_model("User").model_fields["user_name"].examples = names
results = check_server(client)
json.dump([[r.title, r.status.name, r.reason] for r in results], sys.stdout)
`;

let app: TestApp;

beforeAll(async () => {
  const requests = { ACCOUNT_RATE_LIMIT_REQUESTS: '20000', RATE_LIMIT_REQUESTS: '10000' };
  app = await TestApp.alone('rate limits of its own', {
    settings: { ...requests, MAX_USERS_PER_ACCOUNT: '2000' },
  });
});

afterAll(() => app.close());

type Result = readonly [title: string, status: string, reason: string | null];

describeWithPythonFiles('scim2-tester', () => {
  it('finds nothing that fails or differs from the standard', async () => {
    const { accountId } = await app.newAccount();
    const tokens = app.nest.get(ScimTokenService);
    const { token } = await tokens.create(accountId, 'scim2-tester', null, 'operator');
    const results = (await runPython(PROGRAM, `${app.origin}/scim/v2`, token)) as Result[];
    const failed = results.filter(([, status]) => !['SUCCESS', 'COMPLIANT'].includes(status));
    expect(failed).toEqual([]);
    expect(results.length).toBeGreaterThan(100);
  });
});

describe('a large company', () => {
  const userName = (n: number): string => `user-${String(n).padStart(4, '0')}@example.com`;

  it('provisions 1,000 users and 100 groups, changes them, and removes them', async () => {
    const owner = await app.newAccount();
    const scim = await ScimClient.of(app, owner);
    const ids: string[] = [];
    for (let n = 0; n < 1_000; n += 20)
      ids.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, (_, more) =>
            scim.newUser(userName(n + more), {
              externalId: String(n + more),
              title: `T${String(n % 100)}`,
            }),
          ),
        )),
      );
    const groups: string[] = [];
    for (let n = 0; n < 100; n++)
      groups.push(
        await scim.newGroup(
          `Group ${String(n)}`,
          ids.filter((_, at) => at % 100 === n),
        ),
      );
    const everyone = await scim.newGroup('Everyone', ids);

    const read: string[] = [];
    for (let startIndex = 1; ; startIndex += 200) {
      const page = await scim.get(`/Users?startIndex=${String(startIndex)}&count=200`);
      expect(page.body).toMatchObject({ totalResults: 1_001, startIndex });
      if (page.body.itemsPerPage === 0) break;
      read.push(...(page.body.Resources as { id: string }[]).map(({ id }) => id));
    }
    expect(read.sort()).toEqual([owner.userId, ...ids].sort());
    const found = await scim.find('/Users', 'userName sw "user-01" and active eq true', '&count=7');
    expect(found).toMatchObject({ totalResults: 100, itemsPerPage: 7 });
    expect(await scim.find('/Groups', `members eq "${ids[5] ?? ''}"`)).toMatchObject({
      totalResults: 2,
    });
    expect((await scim.get(`/Groups/${everyone}`)).body.members).toHaveLength(1_000);
    const short = await scim.get('/Groups?excludedAttributes=members&count=200');
    expect(short.body).toMatchObject({ totalResults: 101, itemsPerPage: 101 });

    const suspend = async (id: string, n: number): Promise<void> => {
      const { Resources } = await scim.find('/Users', `userName eq "${userName(n)}"`);
      expect(Resources).toMatchObject([{ id, externalId: String(n) }]);
      expect((await scim.patch(`/Users/${id}`, [['Replace', 'active', 'False']])).status).toBe(200);
    };
    await Promise.all(ids.slice(0, 50).map(suspend));
    expect(await scim.find('/Users', 'active eq false')).toMatchObject({ totalResults: 50 });
    for (const id of groups) expect((await scim.delete(`/Groups/${id}`)).status).toBe(204);
    const rest = [['remove', 'members', ids.slice(500).map((value) => ({ value }))]] as const;
    expect((await scim.patch(`/Groups/${everyone}`, rest)).status).toBe(204);
    expect((await scim.get(`/Groups/${everyone}`)).body.members).toHaveLength(500);
    for (let n = 0; n < 1_000; n += 20)
      await Promise.all(ids.slice(n, n + 20).map((id) => scim.delete(`/Users/${id}`)));
    expect((await scim.get('/Users')).body).toMatchObject({ totalResults: 1 });
    expect((await scim.get(`/Groups/${everyone}`)).body.members).toEqual([]);
  }, 300_000);
});

describe('an account that has used up its requests', () => {
  it('gets the error of SCIM, as one that has as many users as it may', async () => {
    const limited = await TestApp.start({
      settings: { ACCOUNT_RATE_LIMIT_REQUESTS: '3', MAX_USERS_PER_ACCOUNT: '1' },
    });
    const scim = await ScimClient.of(limited, await limited.newAccount());
    const full = await ScimClient.of(limited, await limited.newAccount());
    expectScimError(await full.post('/Users', { userName: 'ada@example.com' }), 403);
    for (let n = 0; n < 3; n++) expect((await scim.get('/Users')).status).toBe(200);
    const rejected = await scim.get('/Users');
    expectScimError(rejected, 429);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    await limited.close();
  });
});
