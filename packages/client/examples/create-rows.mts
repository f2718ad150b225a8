/** Writes rows in each way, and prints what the datagrid contains then. */
import { ApiError, createClient, newColumnOf } from '@datagrid/client';
import type { Flight } from './flight.mjs';
import type { Plane, PlaneInput, PlaneReplacement } from './plane.mjs';

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
const { id: airlines } = await client.datagrids.create(temporary, {
  ...{ name: 'Airlines', columns: [{ key: 'name', type: 'text', required: true }] },
});
const { id: planesId } = await client.datagrids.create(temporary, {
  name: 'Planes',
  columns: [
    { key: 'no', type: 'autonumber' },
    { key: 'title', type: 'text', required: true },
    { key: 'seats', type: 'integer', required: true, defaultValue: 100 },
    { key: 'airline', type: 'link', options: { datagridId: airlines } },
  ],
});
await client.datagrids.addColumn(planesId, {
  ...{ key: 'airlineName', type: 'lookup', options: { link: 'airline', column: 'name' } },
});
await client.datagrids.updateColumn(planesId, 'title', { key: 'name', title: 'Name' });

const planes = client.rows<Plane, PlaneInput, PlaneReplacement>(planesId);
const { id: airline } = await client.rows(airlines).create({ name: 'Alpine Air' });
const { id: plane } = await planes.create({ name: 'HB-ABC', airline });
// What the service computes cannot be sent. What it sets, such as `no`, is sent as it was read, or left out.
const { airlineName, ...values } = (await planes.get(plane)).values;
const replaced = await planes.replace(plane, { ...values, seats: 120 });
const { data: groups } = await planes.aggregate({
  groupBy: [{ column: 'airline' }],
  aggregates: [{ function: 'sum', column: 'seats', as: 'seats' }],
});

const { columns } = await client.datagrids.get(planesId);
const copied = columns.filter(({ type }) => type !== 'lookup').map(newColumnOf);
const copy = await client.datagrids.create(temporary, { name: 'Copy', columns: copied });
await client.datagrids.deleteColumn(copy.id, 'airline');
const { columns: copiedColumns } = await client.datagrids.get(copy.id);
const copies = copiedColumns.map(({ key }) => key);
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
const scopes = me.key.scopes;
console.log(
  JSON.stringify({
    ...{ role, scopes, workspaces, datagrids, rowCount, pages, stored, duplicate },
    ...{ airlineName, replaced: replaced.values, groups, copies },
  }),
);
