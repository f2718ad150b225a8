import { randomBytes } from 'node:crypto';
import type { KeyCaller } from '../../../src/common/caller/app-request';
import { IfMatch } from '../../../src/common/conditional/if-match';
import type { WriteResponse } from '../../../src/common/envelope/write-response';
import { Database } from '../../../src/platform/database/database';
import { BatchService } from '../../../src/rows/batch/batch.service';
import { RowWriteService } from '../../../src/rows/row-write.service';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = 30;
/** A text that cannot be compressed. Each read of it takes about 50 blocks. */
const LARGE_TEXT = randomBytes(300_000).toString('base64');
/** The maximum for a few reads of the row and its new version. One read for each column would take 1,500. */
const MAX_BLOCKS = 1_200;

const RESPONSE: WriteResponse = { isMinimal: true, reserve: () => undefined };

/** Counts the TOAST blocks that this transaction has fetched. */
const BLOCKS = {
  name: 'test-toast-blocks',
  text: `SELECT pg_stat_get_xact_blocks_fetched(reltoastrelid)::int AS blocks
    FROM pg_class WHERE oid = 'rows'::regclass`,
};

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const valuesOf = (row: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: COLUMNS }, (_, n) => [`c${String(n)}`, `${row} ${n}`]));

/** Creates a datagrid with one large row, 1, and returns its path. */
async function newLargeRow(flags: object): Promise<string> {
  const few = Object.keys(valuesOf('')).map((key) => ({ key, type: 'text', ...flags }));
  const path = await newDatagrid(owner.api, [
    ...few,
    { key: 'note', type: 'text' },
    { key: 'large', type: 'text' },
  ]);
  const values = { ...valuesOf('old'), large: LARGE_TEXT };
  dataOf(await owner.api.post(`${path}/rows`, { values }), 201);
  return path;
}

interface Target {
  readonly writes: RowWriteService;
  readonly batches: BatchService;
  readonly id: string;
}

const batch = async ({ batches, id }: Target, operation: object): Promise<unknown> => {
  const { accountId, userId, keyId } = owner;
  const caller: KeyCaller = {
    accountId,
    userId,
    keyId,
    sessionId: null,
    role: 'owner',
    workspaceRoles: null,
    scopes: null,
    workspaceIds: null,
    datagridIds: null,
    suspended: false,
  };
  return batches.batch(caller, id, { mode: 'atomic', operations: [operation] }, RESPONSE);
};

const WRITES: readonly [string, (target: Target) => Promise<unknown>][] = [
  [
    'an update of another column',
    ({ writes, id }) =>
      writes.merge(owner, id, 1, { values: { note: 'x' } }, IfMatch.ANY, RESPONSE),
  ],
  [
    'an update of all these columns',
    ({ writes, id }) =>
      writes.merge(owner, id, 1, { values: valuesOf('new') }, IfMatch.ANY, RESPONSE),
  ],
  [
    'a replacement',
    ({ writes, id }) => {
      const values = { ...valuesOf('new'), large: LARGE_TEXT };
      return writes.replace(owner, id, 1, { values }, IfMatch.ANY, RESPONSE);
    },
  ],
  ['a deletion', ({ writes, id }) => writes.delete(owner, id, 1, IfMatch.ANY)],
  [
    'an update in a batch',
    (target) => batch(target, { op: 'update', id: 1, values: { note: 'x', c1: 'new' } }),
  ],
  ['a deletion in a batch', (target) => batch(target, { op: 'delete', id: 1 })],
];

describe.each([
  ['indexed', { indexed: true }],
  ['unique', { unique: true }],
])('a large row with many %s columns', (_, flags) => {
  it.each(WRITES)(
    'is read a few times and not once for each column by %s',
    async (_name, write) => {
      const path = await newLargeRow(flags);
      const database = app.nest.get(Database, { strict: false });
      const target = {
        writes: app.nest.get(RowWriteService, { strict: false }),
        batches: app.nest.get(BatchService, { strict: false }),
        id: path.replace('/datagrids/', ''),
      };
      const blocks = async (): Promise<number> => {
        const [found] = await database.run<{ blocks: number }>(BLOCKS);
        return found?.blocks ?? NaN;
      };
      const fetched = await database.transaction(async () => {
        const before = await blocks();
        await write(target);
        return (await blocks()) - before;
      });
      expect(fetched).toBeGreaterThan(0);
      expect(fetched).toBeLessThan(MAX_BLOCKS);
    },
  );
});
