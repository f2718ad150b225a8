import { ConsoleClient, cookieOf } from '../support/console-client';
import { FileBody } from '../support/api-client';
import { dataOf } from '../support/fixture';
import { OpenidProvider, signInBy } from '../support/openid-provider';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import type { Credential } from './support/open-access';
import { newOwner, newSession, type Owner, setPassword } from './support/owner';
import { ALL_AT_ONCE, newLargeGrid, PersonAccess, withoutListening } from './support/person-access';
import { Replicas } from './support/replicas';

const INSTANCES = 3;
const PASSWORD = 'a password of the tests';
const FORM = 'application/x-www-form-urlencoded';

let database: TestDatabase;
let replicas: Replicas;
let provider: OpenidProvider;
let providerId: string;
let owner: Owner;
let origin: string;
let ownSession: string;
let grid: string;

beforeAll(async () => {
  [database, provider] = await Promise.all([createTestDatabase(), OpenidProvider.start()]);
  replicas = await Replicas.start(INSTANCES, {
    DATABASE_URL: database.url,
    CONNECTION_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
    ...ALL_AT_ONCE,
  });
  // Sign-ins by providers need a host name.
  origin = (replicas.origins[0] ?? '').replace('127.0.0.1', 'localhost');
  owner = await newOwner(database.url);
  await setPassword(database.url, owner.email, PASSWORD);
  ownSession = await newSession(database.url, owner.email);
  grid = await newLargeGrid(replicas.api(0, owner.key));
  const body = { name: 'Company', ...provider.settings, currentPassword: PASSWORD };
  const added = await new ConsoleClient(origin, ownSession).post('/providers', body);
  providerId = String(dataOf(added, 201)['id']);
});

afterAll(async () => {
  await replicas.kill();
  await provider.close();
  await database.drop();
});

/** Opens everything with a session that the provider starts, with another session and with a key of the same person. */
async function open(): Promise<PersonAccess> {
  const person = { sub: 'ann', email: owner.email, email_verified: true };
  const { token } = cookieOf(await signInBy(provider, origin, providerId, person));
  const cut: Credential[] = [{ name: 'session', kind: 'session', secret: token }];
  const kept: Credential[] = [
    { name: 'own session', kind: 'session', secret: ownSession },
    { name: 'key', kind: 'key', secret: owner.key },
  ];
  return PersonAccess.open(replicas, grid, { cut, kept });
}

/** Signs the person out at the provider, which tells the first instance. */
async function signOut(): Promise<void> {
  const form = new URLSearchParams({ logout_token: provider.logoutToken({ sub: 'ann' }) });
  const path = `/providers/${providerId}/logout`;
  const body = new FileBody(FORM, form.toString());
  expect((await new ConsoleClient(origin).post(path, body)).status).toBe(200);
}

describe('three instances cut off the sessions that a provider started, and nothing else, when it signs a person out', () => {
  it('with all that is open with them', async () => {
    const access = await open();
    await access.expectCutOff('a person signed out by a provider', {
      change: signOut,
      writer: replicas.api(1, owner.key),
    });
  });

  it('while their LISTEN connections are broken', async () => {
    const access = await open();
    await access.expectCutOff('a person signed out by a provider, LISTEN connections broken', {
      change: () => withoutListening(database.url, signOut),
      writer: replicas.api(1, owner.key),
    });
  });

  it('while one of them is killed before the sign-out, and the one that has responded after it', async () => {
    const access = await open();
    await access.kill(2);
    await access.expectCutOff('a person signed out by a provider, kill -9 of two instances', {
      change: signOut,
      writer: replicas.api(1, owner.key),
      then: () => access.kill(0),
    });
  });
});
