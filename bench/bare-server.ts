import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool, type QueryConfig } from 'pg';
import { printedRow } from '../src/rows/storage/row-json-sql';
import { createStatement } from '../src/rows/write/row-create.repository';
import { BATCH, exampleValues } from './data';
import { indexedParameters, manyValues } from './many/shape';

const ROW_JSON = printedRow('r."values"');

/*
 * The server that the service is compared with: `node:http` and `pg` in one process, without
 * authentication, totals, checks, limits or a log. A page is one prepared statement, from a known
 * first id or from index entries, and the server passes PostgreSQL's text on. A batch is one
 * multi-row `INSERT` of prepared rows. A single row uses the service's own statement.
 */

const PAGE = {
  name: 'page',
  text: `
    SELECT '[' || string_agg(${ROW_JSON}, ',') || ']' AS json
    FROM (SELECT * FROM rows WHERE datagrid_id = $1 AND id >= $2 ORDER BY id LIMIT $3) r`,
};

/**
 * Returns the statement of a page by index. The limit is part of the text: plans are generic here,
 * and PostgreSQL would estimate a parameter as a tenth of all rows.
 */
const find = (limit: number, condition: string, order: string): QueryConfig => ({
  name: `find ${String(limit)} ${condition} ${order}`,
  text: `
    SELECT '[' || string_agg(${ROW_JSON}, ',') || ']' AS json
    FROM (
      SELECT r.* FROM text_index_entries e
      JOIN rows r ON r.datagrid_id = e.datagrid_id AND r.id = e.row_id
      WHERE e.datagrid_id = $1 AND e.column_id = $2 AND NOT e.is_empty ${condition}
      ORDER BY e.value ${order}, e.row_id ${order} LIMIT ${String(limit)}
    ) r`,
});

const ROWS = Array.from({ length: BATCH }, (_, n) => JSON.stringify(exampleValues(n)));
const INSERT = {
  name: 'insert',
  text: `
    INSERT INTO rows (datagrid_id, id, "values", revision, created_at, updated_at)
    VALUES ${ROWS.map((_, n) => `($1, $2 + ${String(n)}, $${String(n + 3)}, 1, now(), now())`).join()}`,
};
let lastId = 0;
const INDEXED_ROW = JSON.stringify([manyValues(0, 0, 1)]);
const INDEXED = indexedParameters();

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  max: Number(process.env['DATABASE_POOL_SIZE']),
  options: '-c plan_cache_mode=force_generic_plan -c jit=off',
});

async function page(path: string): Promise<string> {
  const result = await pool.query<{ json: string | null }>(pageQuery(path));
  return `{"data":${result.rows[0]?.json ?? '[]'}}`;
}

function pageQuery(path: string): QueryConfig {
  // /<datagrid>/<first id>/<limit>, or /<datagrid>/<order of an index>/<limit>/<column id>[/<value>]
  const [, datagridId, from, limit, columnId, value] = path.split('/');
  const order = { upwards: 'ASC', downwards: 'DESC' }[from ?? ''];
  if (order === undefined) return { ...PAGE, values: [datagridId, from, limit] };
  const values = [datagridId, columnId];
  if (value === undefined) return { ...find(Number(limit), '', order), values };
  values.push(decodeURIComponent(value));
  return { ...find(Number(limit), 'AND e.value = $3', order), values };
}

async function create(path: string): Promise<string> {
  // /<datagrid>/<rows>, or /<datagrid>/indexed/<version of the columns>
  const [, datagridId, rows, version] = path.split('/');
  if (rows === 'indexed') {
    const values = [datagridId, version, INDEXED_ROW, 1, 1, [1], [null], [null], ...INDEXED];
    const statement = createStatement({ hasUnique: false, hasIndex: true });
    const created = await pool.query({ ...statement, values });
    return JSON.stringify({ data: created.rows[0] as object });
  }
  if (rows === '1') {
    const values = [datagridId, 1, `[${ROWS[0] ?? ''}]`, 1, 1, [1], [null], [null]];
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
  const respond = request.method === 'POST' ? create : page;
  respond(request.url ?? '')
    .then((body) => {
      response.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      });
      response.end(body);
    })
    .catch(() => {
      // Any status other than 200 ends the load.
      response.writeHead(500).end();
    });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
