import type { ClientBase } from 'pg';
import { newDatagrid } from '../../support/fixture';
import type { Member, TestApp } from '../../support/test-app';

/** SQL expression for the text of row `n`: about 1 kB, different in each row. */
const TEXT = `repeat(md5(n::text), 31)`;

/** Creates a datagrid with `rows` rows of about 1 kB, numbered by `n`. @returns its path. */
export async function largeSheet(
  app: { readonly sql: Pick<ClientBase, 'query'> },
  owner: Pick<Member, 'api'>,
  rows: number,
): Promise<string> {
  const columns = [
    { key: 'n', type: 'integer' },
    { key: 't', type: 'text' },
  ];
  const path = await newDatagrid(owner.api, columns);
  const id = path.slice('/datagrids/'.length);
  await app.sql.query(
    `INSERT INTO rows SELECT $1, n, jsonb_build_object('n', n, 't', ${TEXT}), 1, now(), now()
     FROM generate_series(1, $2::int) n`,
    [id, rows],
  );
  await app.sql.query(
    'UPDATE datagrid_counters SET last_row_id = $2, row_count = $2, revision = 1 WHERE datagrid_id = $1',
    [id, rows],
  );
  return path;
}

/** Counts the service's connections that run a COPY. */
export async function copying(app: TestApp): Promise<number> {
  const { rows } = await app.sql.query<{ count: number }>(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%COPY (%' AND pid <> pg_backend_pid()`);
  return rows[0]?.count ?? 0;
}
