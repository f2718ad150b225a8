import { ProviderSignInService } from '../../../src/auth/provider/provider-sign-in.service';
import type { ApiResponse } from '../../support/api-client';
import { ConsoleClient } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { arriveFrom, beginAt, OpenidProvider, signInBy } from '../../support/openid-provider';
import { newSigningKey, SamlProvider } from '../../support/saml-provider';
import { TestApp, type Member } from '../../support/test-app';

const PASSWORD = 'a password of the tests';

let app: TestApp;
let origin: string;
let owner: Member;
let console_: ConsoleClient;
let provider: OpenidProvider;

beforeAll(async () => {
  app = await TestApp.shared();
  origin = app.origin.replace('127.0.0.1', 'localhost');
});

afterAll(() => app.close());

beforeEach(async () => {
  provider = await OpenidProvider.start();
  owner = await app.newAccount();
  await app.setPassword(owner, PASSWORD);
  console_ = new ConsoleClient(origin, (await app.console(owner)).token);
});

afterEach(async () => {
  jest.restoreAllMocks();
  passedMs = 0;
  await provider.close();
});

const now = Date.now.bind(Date);
let passedMs = 0;

/** Lets eleven seconds pass for the service, after which metadata are read again. */
function passTime(): void {
  passedMs += 11_000;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
}

async function newProvider(at = provider, by = console_): Promise<string> {
  const settings = { name: 'Company', ...at.settings, currentPassword: PASSWORD };
  return String(dataOf(await by.post('/providers', settings), 201)['id']);
}

/** Creates a provider of another account. */
async function foreignProvider(): Promise<string> {
  const other = await app.newAccount();
  await app.setPassword(other, PASSWORD);
  return newProvider(provider, new ConsoleClient(origin, (await app.console(other)).token));
}

const begin = (id: string): Promise<ApiResponse> =>
  new ConsoleClient(origin).post(`/providers/${id}/sign-in`);

/** A gate that is closed until it is opened. */
function newGate(): { readonly wait: () => Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait: () => opened, open };
}

it('a client address begins four sign-ins at a time at slow providers', async () => {
  const slow = await Promise.all([1, 2, 3, 4].map(() => OpenidProvider.start()));
  const ids: string[] = [];
  for (const each of slow) ids.push(await newProvider(each));
  const quick = await foreignProvider();
  const gate = newGate();
  // What was read when the provider was created is no longer recent.
  passTime();
  for (const each of slow) each.hostility = { beforeMetadata: gate.wait };
  const before = slow.map((each) => each.metadataRequests);
  const begun = ids.map(begin);
  await eventually(() => slow.every((each, index) => each.metadataRequests > (before[index] ?? 0)));
  expectFailure(await begin(quick), 'rate_limited');
  gate.open();
  for (const response of await Promise.all(begun)) expect(response.status).toBe(200);
  expect((await begin(quick)).status).toBe(200);
  await Promise.all(slow.map((each) => each.close()));
});

it('an account reads the metadata of four slow providers at a time, from many addresses', async () => {
  const slow = await Promise.all([1, 2, 3, 4].map(() => OpenidProvider.start()));
  const ids: string[] = [];
  for (const each of slow) ids.push(await newProvider(each));
  const [own, foreign] = [await newProvider(), await foreignProvider()];
  const saml = {
    ...{ name: 'Company', ...new SamlProvider(await newSigningKey()).settings },
    currentPassword: PASSWORD,
  };
  const samlId = String(dataOf(await console_.post('/providers/saml', saml), 201)['id']);
  const service = app.nest.get(ProviderSignInService);
  const party = { entityId: `${origin}/metadata`, acsUrl: `${origin}/saml` };
  const beginFrom = (address: string, id: string): Promise<string> =>
    service.begin(id, 'browser', `${origin}/callback`, party, address);
  const gate = newGate();
  passTime();
  for (const each of slow) each.hostility = { beforeMetadata: gate.wait };
  const begun = ids.map((id, index) => beginFrom(`address ${String(index)}`, id));
  await eventually(() => slow.every((each) => each.metadataRequests === 2));
  await expect(beginFrom('another', own)).rejects.toMatchObject({ code: 'rate_limited' });
  // Another account, and providers that are not asked.
  expect(await beginFrom('another', foreign)).toContain('/authorize');
  expect(await beginFrom('another', foreign)).toContain('/authorize');
  expect(await beginFrom('another', samlId)).toContain('SAMLRequest');
  gate.open();
  await Promise.all(begun);
  expect(await beginFrom('another', own)).toContain('/authorize');
  await Promise.all(slow.map((each) => each.close()));
});

it('many sign-ins at a provider read its metadata once', async () => {
  const id = await newProvider();
  const before = provider.metadataRequests;
  for (let each = 0; each < 5; each += 1) expect((await begin(id)).status).toBe(200);
  expect(provider.metadataRequests - before).toBeLessThanOrEqual(1);
});

it('people who come back at the same time wait for their turn, and lose nothing', async () => {
  const id = await newProvider();
  const invited = [owner];
  while (invited.length < 6) invited.push(await app.newUser(owner.accountId, 'viewer'));
  const arrivals = [];
  for (const { userId, email } of invited) {
    const { url, browser } = await beginAt(origin, id);
    const query = provider.signIn(url, { sub: userId, email, email_verified: true });
    arrivals.push({ browser, query });
  }
  const responses = await Promise.all(
    arrivals.map(({ browser, query }) => arriveFrom(id, browser, query)),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
});

it('a failed read of the metadata does not disturb people who come back', async () => {
  const id = await newProvider();
  const { url, browser } = await beginAt(origin, id);
  const { userId, email } = owner;
  const query = provider.signIn(url, { sub: userId, email, email_verified: true });
  passTime();
  provider.hostility = { metadata: () => ({}) };
  expectFailure(await begin(id), 'conflict');
  expect((await arriveFrom(id, browser, query)).status).toBe(200);
  provider.hostility = {};
  passTime();
  expect((await signInBy(provider, origin, id, { sub: userId })).status).toBe(200);
});
