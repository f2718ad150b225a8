import type { FoundCaller } from '../../../src/auth/api-key/api-key.repository';
import { CallerCache } from '../../../src/auth/api-key/caller-cache';
import { eventually } from '../../support/eventually';
import { TestApp } from '../../support/test-app';

/** The key was used a minute ago, so that no use is due to be stored, and does not expire. */
const CALLER = { usedAgoSeconds: 60, expiresInSeconds: null } as FoundCaller;

let app: TestApp;
let cache: CallerCache;
let names = 0;

beforeAll(async () => {
  app = await TestApp.shared();
  cache = app.nest.get(CallerCache, { strict: false });
});

afterAll(() => app.close());

const newHash = (): string => `caller-cache ${String((names += 1))}`;

/** Looks a caller up. @returns its hash */
async function lookUp(caller: FoundCaller, during?: () => Promise<void>): Promise<string> {
  const hash = newHash();
  await cache.findAndCache(async () => {
    await during?.();
    return new Map([[hash, caller]]);
  });
  return hash;
}

/** Looks a caller up until it is cached: changes of other accounts clear the cache. */
const cached = (caller: FoundCaller): Promise<string> =>
  eventually(async () => {
    const hash = await lookUp(caller);
    return cache.find(hash) !== null && hash;
  });

/** Sends the notice of a change, and waits until the cache has received it. */
async function change(): Promise<void> {
  const hash = await cached(CALLER);
  await app.sql.query("SELECT pg_notify('caller_changed', '')");
  await eventually(() => cache.find(hash) === null);
}

describe('a caller that was looked up', () => {
  it('is cached', async () => {
    expect(cache.find(await cached(CALLER))).toBe(CALLER);
  });

  it('is not cached if a key, a user or an account changed meanwhile', async () => {
    const hash = await lookUp(CALLER, change);
    expect(cache.find(hash)).toBeNull();
  });

  it.each<[string, Partial<FoundCaller>]>([
    ['its key expires now', { expiresInSeconds: 0 }],
    ['a use of its key is due to be stored', { usedAgoSeconds: null }],
  ])('is not cached if %s', async (_name, differences) => {
    await cached(CALLER);
    const hash = await lookUp({ ...CALLER, ...differences });
    expect(cache.find(hash)).toBeNull();
  });
});
