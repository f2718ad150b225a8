import { join } from 'node:path';
import { pathToRegexp } from 'path-to-regexp';
import { AccountService } from '../../../src/auth/account/account.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { IndexBuildService } from '../../../src/rows/index/index-build.service';
import { joinPages, placeOf, readPages } from '../../support/document/pages';
import { Placeholders } from '../../support/document/placeholders';
import { play, requestOf } from '../../support/document/play';
import { storyOf, type ShownAnswer } from '../../support/document/story';
import { routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

const pages = readPages(join(__dirname, '../../../docs/api'));
const { examples, preparations, blockCount } = storyOf(joinPages(pages));

/** For all examples together, each of which starts a shell. */
const STORY_MS = 120_000;

let app: TestApp;
let placeholders: Placeholders;
/** By the line of the example in the joined pages: rejected where it could not be played. */
const answers = new Map<number, Promise<ShownAnswer>>();

beforeAll(async () => {
  // The limit that the pages show.
  app = await TestApp.start({ settings: { RATE_LIMIT_REQUESTS: '600' } });
  const { userId } = await app.nest.get(AccountService).create('Acme', 'ada@example.com');
  const { key } = await app.nest.get(ApiKeyService).create(userId, 'Pipeline', null, 'operator');
  placeholders = new Placeholders({ 'http://localhost:3000': app.origin, 'mk_…': key });
  // One story, told from its begin to its end whichever of its answers are then looked at.
  for (const example of examples) {
    // What its reader waits for: asking again and again could use up the limit.
    if (example.isRepeated) await app.nest.get(IndexBuildService, { strict: false }).runOnce();
    const answer = play(example, placeholders);
    answers.set(example.line, answer);
    await answer.catch(() => undefined);
  }
}, STORY_MS);

afterAll(() => app.close());

describe('docs/api, from an empty account to the end', () => {
  it.each(
    examples.map((example) => {
      const { page, line } = placeOf(pages, example.line);
      return [page, line, example.script, example] as const;
    }),
  )('%s line %i: %s', async (_page, _line, _script, example) => {
    expect(await answers.get(example.line)).toEqual(example.answer);
  });

  it('has no block that was not executed, or is not an answer that was compared', () => {
    expect(answers.size).toBeGreaterThan(30);
    expect(blockCount).toBe(2 * answers.size + preparations.length);
  });

  it('names the page and the line of each example', () => {
    const linesOf = new Map(pages.map(({ name, text }) => [name, text.split('\n')]));
    const openings = examples.map((example) => {
      const { page, line } = placeOf(pages, example.line);
      return linesOf.get(page)?.[line - 1];
    });
    expect([...new Set(openings)]).toEqual(['```sh']);
  });

  it('calls every route', () => {
    const calls = examples.map((example) => {
      const { method, url } = requestOf(example, placeholders);
      return { method, path: new URL(url).pathname };
    });
    const missing = routesOf(app)
      // Another name for rows.
      .filter(({ path }) => !/\/records\b/.test(path))
      .filter((route) => {
        const { regexp } = pathToRegexp(route.path);
        return !calls.some(({ method, path }) => method === route.method && regexp.test(path));
      });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
