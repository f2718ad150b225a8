import { get, type IncomingMessage } from 'node:http';
import { AccountService } from '../../../src/auth/account.service';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { UserService } from '../../../src/auth/user/user.service';
import { API, type Json } from '../../support/api-client';
import { CONSOLE, sessionHeaders } from '../../support/console-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { open, read } from '../export/download';
import { largeSheet } from '../export/large-sheet';
import { numbered, SlowImport } from '../import/sending';

const N = [{ key: 'n', type: 'integer' }];
/** About 12 MB: more than the network buffers if nobody reads. */
const ROWS = 12_000;
/** Much longer than the 3 s between two checks, for busy machines, and much shorter than a stream may stall. */
const PATIENCE_MS = 25_000;

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start({
    settings: {
      IMPORT_BATCH_ROWS: '10',
      MAX_CONCURRENT_IMPORTS: '40',
      MAX_CONCURRENT_EXPORTS: '40',
      maxStreamStallSeconds: 600,
    },
  });
});

afterAll(() => app.close());

/** An editor who streams, and the owner of the account. */
interface Scene {
  readonly owner: Member;
  readonly editor: Member;
  readonly grid: string;
}

type Loss = readonly [string, number, string, (scene: Scene) => Promise<unknown>];

const LOSSES: readonly Loss[] = [
  [
    'its key is revoked',
    401,
    'unauthenticated',
    ({ editor }) => app.nest.get(ApiKeyService).revoke(editor.keyId, 'operator'),
  ],
  [
    'its key expires',
    401,
    'unauthenticated',
    ({ editor }) =>
      app.sql.query(
        'UPDATE api_keys SET expires_at = now() - make_interval(secs => 1) WHERE id = $1',
        [editor.keyId],
      ),
  ],
  [
    'its user is suspended',
    403,
    'account_suspended',
    ({ editor }) => app.nest.get(UserService).setSuspended(editor.email, true),
  ],
  [
    'its account is suspended',
    403,
    'account_suspended',
    ({ owner }) => app.nest.get(AccountService).setSuspended(owner.accountId, true),
  ],
  ['its datagrid is deleted', 404, 'not_found', ({ owner, grid }) => owner.api.delete(grid)],
];

async function scene(makeGrid: (owner: Member) => Promise<string>): Promise<Scene> {
  const owner = await app.newAccount();
  const editor = await app.newUser(owner.accountId, 'editor');
  return { owner, editor, grid: await makeGrid(owner) };
}

/** Reads the only import report of a datagrid from the database. */
async function reportOf(grid: string): Promise<Json> {
  const { rows } = await app.sql.query(
    `SELECT state, created::int, next_line::int AS "nextLine", failure->>'code' AS code
     FROM imports WHERE datagrid_id = $1`,
    [grid.slice('/datagrids/'.length)],
  );
  return rows[0] ?? {};
}

/** Starts an import of which two batches are committed and the third waits for its client. */
async function begin({ owner, editor, grid }: Scene): Promise<SlowImport> {
  const sent = SlowImport.start(app, editor, grid);
  sent.write(numbered(1, 25));
  await eventually(async () => dataOf(await owner.api.get(grid), 200).rowCount === 20);
  return sent;
}

describe('an import whose client sends nothing', () => {
  it.each<Loss>([
    ...LOSSES,
    [
      'its role no longer allows it',
      403,
      'forbidden',
      ({ editor }) => app.nest.get(UserService).setRole(editor.email, 'viewer'),
    ],
  ])('ends soon after %s, with %d and a correct report', async (_, status, code, lose) => {
    const own = await scene(({ api }) => newDatagrid(api, N));
    const sent = await begin(own);
    await lose(own);
    const response = await sent.response;
    expect([response.status, response.body.error.code]).toEqual([status, code]);
    expect(response.headers.location).toMatch(`${API}${own.grid}/imports/`);
    expect(await reportOf(own.grid)).toEqual({ state: 'failed', created: 20, nextLine: 21, code });
  });
});

/** Requests a file as the console does. */
function openInConsole(token: string, path: string): Promise<IncomingMessage> {
  const url = `${app.origin}${CONSOLE}/data${path}`;
  return new Promise((resolve, reject) => {
    get(url, { headers: sessionHeaders(token), agent: false }, resolve).on('error', reject);
  });
}

describe('an export that is not read', () => {
  const cut = async (response: IncomingMessage, before: number): Promise<void> => {
    expect(response.statusCode).toBe(200);
    await eventually(
      () => app.logs.slice(before).some((line) => line.includes('"aborted":true')),
      PATIENCE_MS,
    );
    expect((await read(response)).isWhole).toBe(false);
  };

  it.each<Loss>(LOSSES)('is aborted soon after %s', async (_, _status, _code, lose) => {
    const own = await scene((owner) => largeSheet(app, owner, ROWS));
    const before = app.logs.length;
    const response = await open(app, own.editor, `${own.grid}/rows/export`);
    await lose(own);
    await cut(response, before);
  });

  it.each<readonly [string, Loss[3]]>([
    [
      'its session in the console ends',
      ({ editor }) => app.sql.query('DELETE FROM sessions WHERE user_id = $1', [editor.userId]),
    ],
    [
      'the account requires a second factor that its user lacks',
      ({ owner }) =>
        app.nest.get(AccountService).setRequiresSecondFactor(owner.accountId, true, 'operator'),
    ],
  ])('is aborted soon after %s', async (_, lose) => {
    const own = await scene((owner) => largeSheet(app, owner, ROWS));
    const { token } = await app.console(own.editor);
    const before = app.logs.length;
    const response = await openInConsole(token ?? '', `${own.grid}/rows/export`);
    await lose(own);
    await cut(response, before);
  });
});
