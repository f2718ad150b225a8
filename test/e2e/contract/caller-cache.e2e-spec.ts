import { randomUUID } from 'node:crypto';
import type { FoundCaller } from '../../../src/auth/api-key/api-key.repository';
import { CallerCache } from '../../../src/auth/api-key/caller-cache';
import { eventually } from '../../support/eventually';
import { NO_ID } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

/** The key was used a minute ago, so that no use is due to be stored, and does not expire. */
const CALLER = { keyId: NO_ID, usedAgoSeconds: 60, expiresInSeconds: null } as FoundCaller;

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

  it('is forgotten by a notice that names its key, or none, and by no other', async () => {
    const own = { ...CALLER, keyId: randomUUID() };
    const other = { ...CALLER, keyId: randomUUID() };
    for (const notice of [own.keyId, '']) {
      await eventually(async () => {
        const [hash, otherHash] = [await cached(own), await cached(other)];
        await app.sql.query("SELECT pg_notify('caller_changed', $1)", [notice]);
        await eventually(() => cache.find(hash) === null);
        // A change of a user by another file clears the cache, too.
        return (cache.find(otherHash) === null) === (notice === '');
      });
    }
  });

  it('is forgotten when its key changes, and other callers are not', async () => {
    const { keyId, key } = await app.newAccount();
    const { keyId: otherId } = await app.newAccount();
    await eventually(async () => {
      const [hash, other] = [
        await cached({ ...CALLER, keyId }),
        await cached({ ...CALLER, keyId: otherId }),
      ];
      await app.sql.query('UPDATE api_keys SET hash = sha256($2::bytea) WHERE id = $1', [
        keyId,
        `${key}${hash}`,
      ]);
      await eventually(() => cache.find(hash) === null);
      return cache.find(other) !== null;
    });
  });

  it('is cached with one hash of its key, so that none outlives a change', async () => {
    const keyId = randomUUID();
    const hashes = [await cached({ ...CALLER, keyId }), await cached({ ...CALLER, keyId })];
    await app.sql.query("SELECT pg_notify('caller_changed', $1)", [keyId]);
    await eventually(() => hashes.every((hash) => cache.find(hash) === null));
  });
});
