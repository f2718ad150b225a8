/** Writes rows in each way, and prints what the datagrid contains then. */
import { ApiError, createClient } from '@datagrid/client';
import type { Flight } from './flight.mjs';

const { BASE_URL = '', API_KEY = '', GRID = '', TRACEPARENT } = process.env;
const client = createClient({
  baseUrl: BASE_URL,
  apiKey: API_KEY,
  traceparent: () => TRACEPARENT,
  onRetry: ({ error, attempt }) => {
    console.error(`attempt ${String(attempt)}: ${error.message}`);
  },
});
const flights = client.rows<Flight>(GRID);

const first = await flights.create({ number: 'DG 1', seats: 100 });
await flights.createMany([{ number: 'DG 2' }, { number: 'DG 3', seats: 7 }]);
await flights.update(first.id, { seats: null, note: 'updated' });
const { row, etag } = await flights.getWithEtag(first.id);
await flights.replace(row.id, { ...row.values, seats: 120 }, { ifMatch: etag });
await flights.batch([
  { op: 'create', values: { number: 'DG 4' } },
  { op: 'upsert', matchOn: ['number'], values: { number: 'DG 2', seats: 50 } },
]);
await flights.upsert(['number'], [{ number: 'DG 3', seats: 8 }, { number: 'DG 5' }]);
const [last] = (await flights.find({ filter: { number: 'DG 5' } })).data;
if (last) await flights.delete(last.id);

let duplicate: unknown;
try {
  await flights.create({ number: 'DG 1' });
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  const { status, code, field } = error;
  duplicate = { status, code, field };
}

const me = await client.me();
const { id: temporary } = await client.workspaces.create({ name: 'Temporary' });
await client.datagrids.create(temporary, { name: 'Empty', columns: [{ key: 'a', type: 'text' }] });
await client.workspaces.update(temporary, { description: 'Deleted soon' });
await client.workspaces.delete(temporary, { cascade: true });
const workspaces: string[] = [];
for await (const { name } of client.workspaces.list()) workspaces.push(name);
const stored: Flight[] = [];
for await (const { values } of flights.list({ sort: 'number', limit: 2 })) stored.push(values);
const pages: number[] = [];
for await (const page of flights.pages({ limit: 3 })) pages.push(page.data.length);
const { workspaceId, rowCount } = await client.datagrids.get(GRID);
const datagrids: string[] = [];
for await (const { id } of client.datagrids.list(workspaceId)) datagrids.push(id);
const { role } = me;
console.log(JSON.stringify({ role, workspaces, datagrids, rowCount, pages, stored, duplicate }));
