/** Upserts rows that are made while they are sent, and prints what happened to them. */
import { createClient } from '@datagrid/client';
import type { Flight } from './flight.mjs';

const { BASE_URL = '', API_KEY = '', GRID = '', COUNT = '' } = process.env;
const client = createClient({ baseUrl: BASE_URL, apiKey: API_KEY });

async function* flights(): AsyncGenerator<Flight> {
  for (let n = 1; n <= Number(COUNT); n += 1) {
    yield await Promise.resolve({ number: `DG ${String(n)}`, seats: n });
  }
}

const totals = await client.rows<Flight>(GRID).upsertAll(['number'], flights());
console.log(JSON.stringify(totals));
