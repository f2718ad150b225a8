import { Client } from 'pg';
import { counterLock } from '../../src/datagrids/counter-lock-sql';
import { describeCitus } from '../support/citus-cluster';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { ShardMover } from './shard-mover';

const DATAGRID = '019aa2f4-0000-7000-8000-000000000001';
const LOCK = counterLock(
  'SELECT revision FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE',
);

// Creates a database on each node, possibly on a busy machine.
jest.setTimeout(120_000);

describeCitus('the lock of a datagrid on a real Citus cluster', () => {
  let database: TestDatabase;
  let mover: ShardMover;
  let sessions: readonly Client[];

  beforeAll(async () => {
    database = await createTestDatabase();
    mover = await ShardMover.open(database.url);
    sessions = [1, 2].map(() => new Client({ connectionString: database.url }));
    for (const session of sessions) await session.connect();
    const insert = 'INSERT INTO datagrid_counters (datagrid_id) VALUES ($1)';
    await sessions[0]?.query(insert, [DATAGRID]);
  });

  afterAll(async () => {
    for (const session of sessions) await session.end();
    await mover.close();
    await database.drop();
  });

  async function begin(index: number, lock: string): Promise<void> {
    await sessions[index]?.query('BEGIN');
    await sessions[index]?.query(lock, [DATAGRID]);
  }

  const end = async (index: number): Promise<void> => {
    await sessions[index]?.query('ROLLBACK');
  };

  it('is taken by two transactions at once if it is a row lock only and the shard is moved', async () => {
    await begin(0, LOCK.text);
    await mover.move(await mover.placementOf(DATAGRID), 'block_writes');
    await begin(1, LOCK.text);
    await end(0);
    await end(1);
  });

  it('keeps the shard on its node until the end of the transaction', async () => {
    await begin(0, LOCK.distributedText ?? '');
    const moved = mover.move(await mover.placementOf(DATAGRID), 'block_writes');
    let isMoved = false;
    void moved.then(() => (isMoved = true));
    await eventually(() => mover.isWaiting(), 60_000);
    expect(isMoved).toBe(false);
    await end(0);
    await moved;
    await begin(1, LOCK.distributedText ?? '');
    await end(1);
  });
});
