import type { Pool } from 'pg';

const STEP = 100_000;

/** Rows in a batch. */
export const BATCH = 1_000;

/** The columns of the measured datagrid: ten, of various types. */
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

/** The column that is indexed: 1,000,000 rows have each of its values a hundred times. */
export const INDEXED = 'customer';

/** The values of the row with that number, as the API takes them. */
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

/** The same in SQL, by the number `n`. */
const EXAMPLE_VALUES = `jsonb_build_object(
  'customer', 'Customer ' || n % 9973, 'email', 'person' || n || '@example.com',
  'quantity', n % 100, 'weight', (n % 1000) / 8.0, 'amount', n % 5000 || '.25',
  'paid', n % 2 = 0, 'orderedOn', '2026-03-14', 'shippedAt', '2026-03-15T08:30:00.000Z',
  'status', 'paid',
  'note', 'Order ' || n || ' of the benchmark, with a sentence to make it as long as usual.')`;

/** Fills an empty datagrid by SQL: what is measured is reading, not this. */
export async function fill(sql: Pool, datagridId: string, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += STEP) {
    const to = Math.min(from + STEP, rows);
    await sql.query(
      `INSERT INTO rows SELECT $1, n, ${EXAMPLE_VALUES}, 1, now(), now()
       FROM generate_series($2::bigint + 1, $3::bigint) AS n`,
      [datagridId, from, to],
    );
  }
  await sql.query(
    `INSERT INTO text_index_entries (datagrid_id, column_id, is_empty, value, row_id)
     SELECT $1, c.id, false, r."values" ->> c.slot, r.id
     FROM datagrid_columns c JOIN rows r ON r.datagrid_id = c.datagrid_id
     WHERE c.datagrid_id = $1 AND c.key = $2`,
    [datagridId, INDEXED],
  );
  await sql.query(
    'UPDATE datagrid_counters SET last_row_id = $2, row_count = $2, revision = 1 WHERE datagrid_id = $1',
    [datagridId, rows],
  );
  await sql.query('VACUUM (ANALYZE) rows, text_index_entries');
}

/** Ids of a random tenth of the rows, in calls of some thousand. */
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

/** The id of the row at an offset, found the slow way. */
export async function idAt(sql: Pool, datagridId: string, offset: number): Promise<number> {
  const result = await sql.query<{ id: string }>(
    'SELECT id FROM rows WHERE datagrid_id = $1 ORDER BY id OFFSET $2 LIMIT 1',
    [datagridId, offset],
  );
  return Number(result.rows[0]?.id);
}
