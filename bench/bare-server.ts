import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { printedRow } from '../src/rows/storage/row-json-sql';
import { createStatement } from '../src/rows/write/row-create-sql';
import { BATCH, exampleValues } from './data';

/**
 * What the service is held against: `node:http` and `pg`, one process, one prepared statement
 * with the page's first id given, and PostgreSQL's text passed through; for batches one multi-row
 * `INSERT`, and for single rows the service's own statement, of rows that it holds ready. No
 * authentication, no total, no checks, no
 * limits, no log.
 */
const PAGE = {
  name: 'page',
  text: `
    SELECT '[' || string_agg(${printedRow('r."values"')}, ',') || ']' AS json
    FROM (SELECT * FROM rows WHERE datagrid_id = $1 AND id >= $2 ORDER BY id LIMIT $3) r`,
};

const ROWS = Array.from({ length: BATCH }, (_, n) => JSON.stringify(exampleValues(n)));
const INSERT = {
  name: 'insert',
  text: `
    INSERT INTO rows (datagrid_id, id, "values", revision, created_at, updated_at)
    VALUES ${ROWS.map((_, n) => `($1, $2 + ${String(n)}, $${String(n + 3)}, 1, now(), now())`).join()}`,
};
let lastId = 0;

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['DATABASE_POOL_SIZE']),
  options: '-c plan_cache_mode=force_generic_plan -c jit=off',
});

async function page(path: string): Promise<string> {
  // /<datagrid>/<first id>/<limit>
  const [, datagridId, firstId, limit] = path.split('/');
  const result = await pool.query<{ json: string }>({
    ...PAGE,
    values: [datagridId, firstId, limit],
  });
  return `{"data":${result.rows[0]?.json ?? '[]'}}`;
}

async function create(path: string): Promise<string> {
  // /<datagrid>/<rows>
  const [, datagridId, rows] = path.split('/');
  if (rows === '1') {
    const values = [datagridId, 1, `[${ROWS[0] ?? ''}]`, 1, 1];
    const created = await pool.query({
      ...createStatement({ hasUnique: false, hasIndex: false }),
      values,
    });
    return JSON.stringify({ data: created.rows[0] as object });
  }
  const firstId = lastId + 1;
  lastId += ROWS.length;
  await pool.query({ ...INSERT, values: [datagridId, firstId, ...ROWS] });
  return `{"data":{"firstId":${String(firstId)}}}`;
}

const server = createServer((request, response) => {
  const answer = request.method === 'POST' ? create : page;
  answer(request.url ?? '')
    .then((body) => {
      response.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      });
      response.end(body);
    })
    .catch(() => {
      // The load ends with any other status than 200.
      response.writeHead(500).end();
    });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
