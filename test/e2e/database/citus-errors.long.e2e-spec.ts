import type { ApiResponse } from '../../support/api-client';
import { describePlain } from '../../support/citus-cluster';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const UNAVAILABLE = 'The service is temporarily unavailable. Retry later.';
const UNKNOWN = 'The database connection was lost. The change may or may not have been made.';

/** Errors of Citus 13.0 while a statement runs, with their code, and the message of the response. */
const IN_STATEMENT: [string, string, string][] = [
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432', UNAVAILABLE],
  ['XX000', 'terminating connection due to unexpected postmaster exit', UNAVAILABLE],
  ['57P01', 'terminating connection due to administrator command', UNAVAILABLE],
  ['08006', 'connection to the remote node a@10.0.0.2:5432 failed', UNAVAILABLE],
  ['08006', 'could not establish any connections to the node 10.0.0.2:5432', UNAVAILABLE],
  ['58030', 'failed to COPY to shard 102010 on 10.0.0.2:5432', UNAVAILABLE],
  ['XX000', 'postmaster was shut down, exiting', UNKNOWN],
  ['XX000', 'server closed the connection unexpectedly', UNKNOWN],
  ['XX000', 'SSL SYSCALL error: EOF detected', UNKNOWN],
  [
    '08006',
    'connection to the remote node a@10.0.0.2:5432 failed with the following error: server closed the connection unexpectedly',
    UNKNOWN,
  ],
];

/** Errors at the commit. Citus can prepare no transaction, or does not know whether one committed. */
const AT_COMMIT: [string, string, string][] = [
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432', UNAVAILABLE],
  ['57P01', 'terminating connection due to unexpected postmaster exit', UNAVAILABLE],
  ['XX000', 'could not commit transaction for shard 102010 on at least one active node', UNKNOWN],
];

// A trigger raises the errors. Citus allows none on tables that it distributes.
describePlain('a write during which Citus reports an error', () => {
  let app: TestApp;
  let owner: Member;
  let workspace: string;
  let rows: string;

  beforeAll(async () => {
    app = await TestApp.alone('Its trigger fails on datagrids of any account.');
    owner = await app.newAccount();
    workspace = await newWorkspace(owner.api);
    rows = `${await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspace)}/rows`;
  });

  afterAll(() => app.close());

  /** Runs `work` while each change of a table raises an error. */
  async function failing(
    [code, message]: readonly [string, string],
    change: string,
    work: () => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    await app.sql.query(`
      CREATE FUNCTION fail_change() RETURNS trigger LANGUAGE plpgsql AS $function$
        BEGIN RAISE EXCEPTION USING ERRCODE = '${code}', MESSAGE = '${message}'; END
      $function$;
      CREATE CONSTRAINT TRIGGER fail_change AFTER ${change}
        FOR EACH ROW EXECUTE FUNCTION fail_change()`);
    try {
      return await work();
    } finally {
      await app.sql.query('DROP FUNCTION fail_change CASCADE');
    }
  }

  /** Creates a row while each change of a counter raises an error. */
  async function create(code: string, message: string, timing: string): Promise<ApiResponse> {
    const operations = [{ op: 'create', values: { n: 1 } }];
    const change = `UPDATE ON datagrid_counters DEFERRABLE INITIALLY ${timing}`;
    return failing([code, message], change, () =>
      owner.api.post(`${rows}/batch`, { mode: 'atomic', operations }),
    );
  }

  function expectLost(response: ApiResponse, message: string): void {
    expectFailure(response, 'unavailable');
    expect(response.body.error.message).toBe(message);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }

  it.each(IN_STATEMENT)('returns 503 in a statement: %s %s', async (code, text, message) => {
    expectLost(await create(code, text, 'IMMEDIATE'), message);
  });

  it.each(AT_COMMIT)('returns 503 at the commit: %s %s', async (code, text, message) => {
    expectLost(await create(code, text, 'DEFERRED'), message);
  });

  it('returns 409 for a duplicate on another node, of which only the message has the name', async () => {
    const message = 'duplicate key value violates unique constraint "datagrids_name_102008"';
    const response = await failing(['23505', message], 'INSERT ON datagrids', () =>
      owner.api.post(`/workspaces/${workspace}/datagrids`, { name: 'Taken' }),
    );
    expectFailure(response, 'conflict', ['name duplicate']);
  });

  it('returns 500 for another internal error', async () => {
    const message = 'the failure on connection is not one of a worker';
    expectFailure(await create('XX000', message, 'IMMEDIATE'), 'internal');
    expect((await owner.api.get(rows)).body.meta.total).toBe(0);
  });
});
