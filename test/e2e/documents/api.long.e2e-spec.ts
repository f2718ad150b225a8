import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToRegexp } from 'path-to-regexp';
import { AccountService } from '../../../src/auth/account/account.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { eventually } from '../../support/eventually';
import type { CurlRequest } from '../../support/document/curl';
import { joinPages, placeOf, readPages } from '../../support/document/pages';
import { Placeholders } from '../../support/document/placeholders';
import { play, requestOf } from '../../support/document/play';
import { storyOf, type Example, type ShownResponse } from '../../support/document/story';
import { routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

const pages = readPages(join(__dirname, '../../../docs/api'));
const { examples, deliveries, preparations, blockCount } = storyOf(joinPages(pages));

/** Time limit for all examples together. Each of them starts a shell. */
const STORY_MS = 120_000;

let app: TestApp;
let files: string;
let placeholders: Placeholders;
const requests: CurlRequest[] = [];
/** Responses by the line of the example in the joined pages. Rejected if the example did not run. */
const responses = new Map<number, Promise<ShownResponse>>();

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'documents-'));
  app = await TestApp.start({
    // The rate limit that the pages show.
    settings: { RATE_LIMIT_REQUESTS: '600', CONNECTION_FILES_DIR: files },
  });
  const { userId } = await app.nest.get(AccountService).create('Acme', 'ada@example.com');
  const { key } = await app.nest.get(ApiKeyService).create(userId, 'Pipeline', null, 'operator');
  placeholders = new Placeholders({
    'http://localhost:3000': app.origin,
    'mk_…': key,
    // Start of a replay, which is possible for some days only.
    '2026-11-21T09:15:00Z': new Date().toISOString(),
  });
  // Runs all examples in order, even if only some of the tests are selected.
  for (const example of examples) {
    if (example.isRepeated) await completeJobs();
    const response = playAndRecord(example);
    responses.set(example.line, response);
    await response.catch(() => undefined);
  }
}, STORY_MS);

afterAll(async () => {
  await app.close();
  await rm(files, { recursive: true });
});

async function playAndRecord(example: Example): Promise<ShownResponse> {
  const request = requestOf(example, placeholders);
  requests.push(request);
  return play(example, request, placeholders);
}

/** Completes index builds and syncs, because polling over HTTP could exceed the rate limit. */
async function completeJobs(): Promise<void> {
  await app.nest.get(IndexBuildService, { strict: false }).runOnce();
  await eventually(async () => {
    const { rows } = await app.sql.query(
      'SELECT FROM connection_tables WHERE revision IS NULL OR leased_until > now()',
    );
    return rows.length === 0;
  });
}

describe('the examples of docs/api, run in order on an empty account', () => {
  it.each(
    examples.map((example) => {
      const { page, line } = placeOf(pages, example.line);
      return [page, line, example.script, example] as const;
    }),
  )('return the documented responses: %s line %i: %s', async (_page, _line, _script, example) => {
    expect(await responses.get(example.line)).toEqual(example.response);
  });

  it('cover every code block', () => {
    expect(responses.size).toBeGreaterThan(30);
    const callBlocks = 2 * responses.size;
    expect(blockCount).toBe(callBlocks + preparations.length + deliveries.length);
  });

  it('have a page and a line', () => {
    const linesOf = new Map(pages.map(({ name, text }) => [name, text.split('\n')]));
    const openings = examples.map((example) => {
      const { page, line } = placeOf(pages, example.line);
      return linesOf.get(page)?.[line - 1];
    });
    expect([...new Set(openings)]).toEqual(['```sh']);
  });

  it('call every route', () => {
    const calls = requests.map(({ method, url }) => ({ method, path: new URL(url).pathname }));
    const missing = routesOf(app)
      // An alias of rows.
      .filter(({ path }) => !/\/records\b/.test(path))
      .filter((route) => {
        const { regexp } = pathToRegexp(route.path);
        return !calls.some(({ method, path }) => method === route.method && regexp.test(path));
      });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
