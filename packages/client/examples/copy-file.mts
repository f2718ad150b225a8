/** Imports a file, or exports one, and prints the number of rows. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { ConnectionError, createClient } from '@datagrid/client';

const { BASE_URL = '', API_KEY = '', GRID = '', MODE, FILE = '' } = process.env;
const client = createClient({ baseUrl: BASE_URL, apiKey: API_KEY });
const rows = client.rows(GRID);
const format = FILE.endsWith('.csv') ? 'csv' : 'ndjson';

if (MODE === 'import') {
  const report = await rows.import(() => createReadStream(FILE), { format });
  console.log(report.created);
} else {
  try {
    const { body, rows: count } = await rows.export({ format });
    const file: WritableStream<Uint8Array> = Writable.toWeb(createWriteStream(FILE));
    await body.pipeTo(file);
    console.log(await count);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    console.log(error.message);
  }
}
