import type { Pool, PoolClient } from 'pg';

const STEP = 100_000;

/** Rows in a batch. */
export const BATCH = 1_000;

/** Ten columns of various types, which all measured datagrids have. */
export const COLUMNS = [
  { key: 'customer', type: 'text' },
  { key: 'email', type: 'email' },
  { key: 'quantity', type: 'integer' },
  { key: 'weight', type: 'number' },
  { key: 'amount', type: 'decimal' },
  { key: 'paid', type: 'boolean' },
  { key: 'orderedOn', type: 'date' },
  { key: 'shippedAt', type: 'datetime' },
  { key: 'status', type: 'select', options: { choices: ['open', 'paid', 'shipped', 'closed'] } },
  { key: 'note', type: 'text' },
] as const;

/** Key of the indexed column of filled datagrids. Each value occurs ROWS_A_CUSTOMER times. */
export const INDEXED = 'customer';
const ROWS_A_CUSTOMER = 200;

/** Returns a value of the indexed column from the middle of a filled datagrid of `rows` rows. */
export function indexedValue(rows: number): string {
  return `Customer ${String(Math.floor(customersOf(rows) / 2))}`;
}

const customersOf = (rows: number): number => Math.ceil(rows / ROWS_A_CUSTOMER);

/** Returns the values of row `n`, as the API accepts them. */
export function exampleValues(n: number): Record<string, unknown> {
  return {
    customer: `Customer ${String(n % 9973)}`,
    email: `person${String(n)}@example.com`,
    quantity: n % 100,
    weight: (n % 1000) / 8,
    amount: `${String(n % 5000)}.25`,
    paid: n % 2 === 0,
    orderedOn: '2026-03-14',
    shippedAt: '2026-03-15T08:30:00.000Z',
    status: 'paid',
    note: `Order ${String(n)} of the benchmark, with a sentence to make it as long as usual.`,
  };
}

/** SQL of similar values for row `n`, with `$4` customers. */
const EXAMPLE_VALUES = `jsonb_build_object(
  'customer', 'Customer ' || n % $4, 'email', 'person' || n || '@example.com',
  'quantity', n % 100, 'weight', (n % 1000)::float8 / 8, 'amount', n % 5000 || '.25',
  'paid', n % 2 = 0, 'orderedOn', '2026-03-14', 'shippedAt', '2026-03-15T08:30:00.000Z',
  'status', 'paid',
  'note', 'Order ' || n || ' of the benchmark, with a sentence to make it as long as usual.')`;

/** Fills an empty datagrid by SQL, because writing is not measured here. */
export async function fill(sql: Pool, datagridId: string, rows: number): Promise<void> {
  const client = await sql.connect();
  try {
    // Lost data does not matter: the next run fills a new database.
    await client.query('SET synchronous_commit = off');
    for (let from = 0; from < rows; from += STEP) {
      const to = Math.min(from + STEP, rows);
      await client.query(
        `INSERT INTO rows SELECT $1, n, ${EXAMPLE_VALUES}, 1, now(), now()
         FROM generate_series($2::bigint + 1, $3::bigint) AS n`,
        [datagridId, from, to, customersOf(rows)],
      );
    }
    await fillIndex(client, datagridId);
    await client.query(
      'UPDATE datagrid_counters SET last_row_id = $2, row_count = $2, revision = 1 WHERE datagrid_id = $1',
      [datagridId, rows],
    );
  } finally {
    client.release(true);
  }
}

/** Fills the index in its own order, so that PostgreSQL writes each index page once. */
async function fillIndex(client: PoolClient, datagridId: string): Promise<void> {
  await client.query(`SET work_mem = '256MB'`);
  await client.query(
    `INSERT INTO text_index_entries (datagrid_id, column_id, is_empty, value, row_id)
     SELECT $1, c.id, false, r."values" ->> c.slot, r.id
     FROM datagrid_columns c JOIN rows r ON r.datagrid_id = c.datagrid_id
     WHERE c.datagrid_id = $1 AND c.key = $2
     ORDER BY c.id, (r."values" ->> c.slot) COLLATE "C", r.id`,
    [datagridId, INDEXED],
  );
}

/** Finishes vacuum and checkpoint, so that background work does not affect later measures. */
export async function settle(sql: Pool): Promise<void> {
  await sql.query('VACUUM (ANALYZE)');
  await sql.query('CHECKPOINT');
}

/** Returns the ids of a random tenth of the rows, in lists of up to 5,000. */
export function* randomTenth(rows: number): Generator<number[]> {
  let call: number[] = [];
  for (let id = 1; id <= rows; id += 1) {
    if (Math.random() < 0.1) call.push(id);
    if (call.length === 5_000) {
      yield call;
      call = [];
    }
  }
  if (call.length > 0) yield call;
}

/** Returns the id of the row at an offset, by counting rows. */
export async function idAt(sql: Pool, datagridId: string, offset: number): Promise<number> {
  const result = await sql.query<{ id: string }>(
    'SELECT id FROM rows WHERE datagrid_id = $1 ORDER BY id OFFSET $2 LIMIT 1',
    [datagridId, offset],
  );
  return Number(result.rows[0]?.id);
}
