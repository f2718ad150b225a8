import { eventually } from '../support/eventually';
import type { ApiResponse } from '../support/api-client';
import { withClient } from '../support/database-url';
import { printFigures } from './support/figures';
import { NumberedGrid } from './support/numbered-grid';
import { PostgresServer } from './support/postgres-server';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';
import { TcpProxy } from './support/tcp-proxy';

const UNKNOWN = 'The database connection was lost. The change may or may not have been made.';

let postgres: PostgresServer;
let proxy: TcpProxy;
let replicas: Replicas;
let owner: Owner;
let rows: string;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  proxy = await TcpProxy.start({ path: postgres.socketPath });
  const url = `postgres://app@127.0.0.1:${String(proxy.port)}/postgres`;
  replicas = await Replicas.start(1, { DATABASE_URL: url });
  owner = await newOwner(postgres.url);
});

beforeEach(async () => {
  rows = `${(await NumberedGrid.create(replicas.api(0, owner.key))).path}/rows`;
});

afterAll(async () => {
  await replicas.kill();
  await proxy.close();
  await postgres.remove();
});

const revision = async (): Promise<number> =>
  (await replicas.api(0, owner.key).get(rows.slice(0, -'/rows'.length))).body.data.revision;

const total = async (): Promise<number> =>
  (await replicas.api(0, owner.key).get(rows)).body.meta.total;

/**
 * Drops PostgreSQL's reply to a statement that contains `text`. Repeats until this affects the change
 * and not a background job.
 */
async function loseReply(
  text: string,
  change: () => Promise<ApiResponse>,
): Promise<{ sent: number; response: ApiResponse }> {
  for (let sent = 1; ; sent += 1) {
    proxy.loseResponseTo(text);
    const response = await change();
    if (response.status === 503 || sent > 5) return { sent, response };
  }
}

const code = ({ status, body }: ApiResponse): unknown[] => [status, body.error.message];

describe('a commit whose outcome is unknown', () => {
  const create = { values: { n: 1 } };

  it('returns 503 that says so and is not repeated, in a transaction', async () => {
    const api = replicas.api(0, owner.key);
    await api.post(rows, create);
    const before = await revision();
    const { sent, response } = await loseReply('COMMIT', () =>
      api.patch(`${rows}/1`, { values: { n: 2 } }),
    );
    const made = (await revision()) - before;
    printFigures('COMMIT without a response', { requests: sent, rejected: 1, made });
    expect(code(response)).toEqual([503, UNKNOWN]);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(made).toBe(sent);
  });

  it('returns 503 that says so and is not repeated, in a single statement', async () => {
    const api = replicas.api(0, owner.key);
    const { sent, response } = await loseReply('row-create', () => api.post(rows, create));
    expect(code(response)).toEqual([503, UNKNOWN]);
    expect(await total()).toBe(sent);
  });

  it('is applied once if it is sent again with its Idempotency-Key', async () => {
    const api = replicas.api(0, owner.key);
    let tries = 0;
    const headers = (): Record<string, string> => ({ 'idempotency-key': `try ${String(tries)}` });
    const { sent } = await loseReply('COMMIT', () => {
      tries += 1;
      return api.post(rows, create, headers());
    });
    const again = await api.post(rows, create, headers());
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(await total()).toBe(sent);
  });
});

describe('a write that PostgreSQL rolls back', () => {
  /** Makes the first inserts of rows fail. `attempts` also counts inserts that are rolled back. */
  const failInserts = (times: number, state: string): Promise<unknown> =>
    withClient(postgres.url, (client) =>
      client.query(`
        CREATE SEQUENCE attempts;
        CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('attempts') <= ${String(times)} THEN
            RAISE EXCEPTION 'no' USING ERRCODE = '${state}';
          END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER failing BEFORE INSERT ON rows FOR EACH STATEMENT EXECUTE FUNCTION failing()`),
    );

  const attempts = async (): Promise<number> =>
    withClient(postgres.url, async (client) => {
      const { rows: found } = await client.query<{ last: number }>(
        'SELECT last_value::int AS last FROM attempts',
      );
      await client.query(
        'DROP TRIGGER failing ON rows; DROP FUNCTION failing; DROP SEQUENCE attempts',
      );
      return found[0]?.last ?? 0;
    });

  it.each([
    ['a serialization failure', '40001', 3, 201, 4, 1],
    ['a serialization failure', '40001', 9, 503, 4, 0],
    ['a deadlock', '40P01', 3, 201, 4, 1],
    ['a deadlock', '40P01', 9, 503, 4, 0],
    ['another error', '23514', 9, 500, 1, 0],
  ])(
    'because of %s (%s) %d times returns %d after %d attempts',
    async (_what, state, times, status, tried, made) => {
      await failInserts(times, state);
      const response = await replicas
        .api(0, owner.key)
        .post(rows, { values: {} }, { 'idempotency-key': `${state} ${String(times)}` });
      const count = await attempts();
      printFigures(`rolled back with ${state}, ${String(times)} times`, {
        attempts: count,
        status: response.status,
      });
      expect([response.status, count]).toEqual([status, tried]);
      expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
      await eventually(async () => (await total()) === made);
    },
  );
});
