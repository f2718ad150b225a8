import { adminJson } from '../cli/admin';
import { ConsoleClient } from '../support/console-client';
import { OauthApplication } from '../support/oauth-application';
import { ScimClient } from '../support/scim-client';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import type { Credential } from './support/open-access';
import { newKey, newOwner, newScimToken, newSession, type Owner } from './support/owner';
import { ALL_AT_ONCE, newLargeGrid, PersonAccess, withoutListening } from './support/person-access';
import { Replicas } from './support/replicas';

const INSTANCES = 3;

let database: TestDatabase;
let replicas: Replicas;
let owner: Owner;
let grid: string;
let scimToken: string;

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = await Replicas.start(INSTANCES, {
    DATABASE_URL: database.url,
    ...ALL_AT_ONCE,
  });
  owner = await newOwner(database.url);
  grid = await newLargeGrid(replicas.api(0, owner.key));
  scimToken = await newScimToken(database.url, owner.accountId);
});

afterAll(async () => {
  await replicas.kill();
  await database.drop();
});

/** Creates a person with a key, a session of the console, and an application that has connected to MCP. */
async function newPerson(email: string): Promise<Credential[]> {
  const account = ['--account', owner.accountId, '--role', 'editor'];
  await adminJson({ DATABASE_URL: database.url }, 'user', 'create', ...account, '--email', email);
  const { key } = await newKey(database.url, email);
  const session = await newSession(database.url, email);
  const origin = replicas.origins[0] ?? '';
  const application = await OauthApplication.registered(origin);
  const { access } = await application.tokens(new ConsoleClient(origin, session));
  return [
    { name: 'key', kind: 'key', secret: key },
    { name: 'session', kind: 'session', secret: session },
    { name: 'MCP with a key', kind: 'mcp', secret: key },
    { name: 'MCP with a grant', kind: 'mcp', secret: access },
  ];
}

/** Returns how the directory removes a person. */
async function removalOf(email: string): Promise<() => Promise<void>> {
  const scim = new ScimClient(replicas.origins[0] ?? '', scimToken);
  const { Resources } = await scim.find('/Users', `userName eq "${email}"`);
  const [{ id }] = Resources as [{ readonly id: string }];
  return async () => {
    expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
  };
}

/** Opens everything that a person and the owner can have open at all instances. */
async function openFor(email: string): Promise<PersonAccess> {
  const kept: Credential[] = [{ name: 'key of the owner', kind: 'key', secret: owner.key }];
  return PersonAccess.open(replicas, grid, { cut: await newPerson(email), kept });
}

describe('three instances cut off a person whom the directory has deleted', () => {
  it('with all that the person has open', async () => {
    const email = 'removed@example.com';
    const access = await openFor(email);
    await access.expectCutOff('a person removed by SCIM', {
      change: await removalOf(email),
      writer: replicas.api(1, owner.key),
    });
  });

  it('while their LISTEN connections are broken', async () => {
    const email = 'unheard@example.com';
    const access = await openFor(email);
    const remove = await removalOf(email);
    await access.expectCutOff('a person removed by SCIM, LISTEN connections broken', {
      change: () => withoutListening(database.url, remove),
      writer: replicas.api(1, owner.key),
    });
  });

  it('while one of them is killed before the deletion, and the one that has responded after it', async () => {
    const email = 'killed@example.com';
    const access = await openFor(email);
    const remove = await removalOf(email);
    await access.kill(2);
    await access.expectCutOff('a person removed by SCIM, kill -9 of two instances', {
      change: remove,
      writer: replicas.api(1, owner.key),
      then: () => access.kill(0),
    });
  });
});
