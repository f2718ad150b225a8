import type { Pool } from 'pg';
import { settle } from '../data';

const STEP = 500_000;
const NEEDLE = 'Zanzibar';

/** A column, and the SQL of its value in row `n` with its type. */
interface ScanColumn {
  readonly key: string;
  readonly type: string;
  readonly options?: object;
  readonly sql: string;
}

const STATUSES = ['open', 'paid', 'packed', 'shipped', 'closed', 'returned', 'lost', 'void'];

/** Ten columns without an index. Values repeat in an order that is not that of the rows. */
export const SCAN_COLUMNS: readonly ScanColumn[] = [
  { key: 'name', type: 'text', sql: `'Order ' || md5(n::text)` },
  { key: 'city', type: 'text', sql: `'City ' || n * 7919 % 5000` },
  {
    key: 'status',
    type: 'select',
    options: { choices: STATUSES },
    sql: `(ARRAY['${STATUSES.join("','")}'])[1 + n * 31 % 8]`,
  },
  { key: 'quantity', type: 'integer', sql: '(n * 13 % 100)::bigint' },
  { key: 'weight', type: 'number', sql: '(n * 17 % 1000)::float8 / 8' },
  { key: 'amount', type: 'decimal', sql: '((n * 37 % 1000000)::numeric + 0.25)' },
  { key: 'paid', type: 'boolean', sql: 'n % 3 = 0' },
  { key: 'day', type: 'date', sql: `date '2025-01-01' + (n * 11 % 730)::int` },
  { key: 'at', type: 'datetime', sql: `timestamp '2025-01-01' + n * interval '17 seconds'` },
  {
    key: 'note',
    type: 'text',
    sql: `'A sentence that is as long as usual' || CASE WHEN n % 50000 = 7 THEN ', from ${NEEDLE}' ELSE '' END`,
  },
];

/** A word that is in one of 50,000 notes. */
export const RARE_WORD = NEEDLE;

const PRINTED: Readonly<Record<string, (sql: string) => string>> = {
  decimal: (sql) => `(${sql})::text`,
  datetime: (sql) => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

/** Fills an empty datagrid by SQL, because writing is not measured here. */
export async function fillScanned(sql: Pool, datagridId: string, rows: number): Promise<void> {
  const pairs = SCAN_COLUMNS.map(
    ({ key, type, sql: value }) => `'${key}', ${PRINTED[type]?.(value) ?? value}`,
  );
  for (let from = 0; from < rows; from += STEP) {
    await sql.query(
      `INSERT INTO rows SELECT $1, n, jsonb_build_object(${pairs.join(', ')}), 1, now(), now()
       FROM generate_series($2::bigint + 1, $3::bigint) AS n`,
      [datagridId, from, Math.min(from + STEP, rows)],
    );
  }
  await sql.query(
    'UPDATE datagrid_counters SET last_row_id = $2, row_count = $2, revision = 1 WHERE datagrid_id = $1',
    [datagridId, rows],
  );
  await settle(sql);
}

/**
 * Creates a table of the same rows with typed columns and the primary key `id`, for other platforms, unless it
 * exists.
 */
export async function createTyped(sql: Pool, name: string, rows: number): Promise<void> {
  const { rowCount } = await sql.query('SELECT WHERE to_regclass($1) IS NOT NULL', [name]);
  if (rowCount === 1) return;
  const typed = SCAN_COLUMNS.map(({ key, sql: value }) => `${value} AS "${key}"`);
  await sql.query(
    `CREATE TABLE ${name} AS SELECT n AS id, ${typed.join(', ')}
     FROM generate_series(1, ${String(rows)}::bigint) AS n`,
  );
  await sql.query(`ALTER TABLE ${name} ADD PRIMARY KEY (id)`);
  await settle(sql);
}
