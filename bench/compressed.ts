import { request } from 'node:http';
import { CODINGS_HERE } from '../src/platform/http/compress';
import { inTurns, type Contender, type Plan } from './measure';
import type { Bench } from './prepare';
import type { Table } from './table';

const FORMS = ['identity', ...CODINGS_HERE];

/** Measures pages uncompressed and in each encoding, with the size of their bodies in bytes. */
export async function measureCompressed(bench: Bench, plan: Plan, table: Table): Promise<void> {
  for (const limit of [50, 200]) {
    const path = `/api/v1/public/datagrids/${bench.middle.id}/rows?limit=${String(limit)}`;
    const get = (acceptEncoding: string): Contender => ({
      port: bench.service.port,
      request: { method: 'GET', path, key: bench.key, acceptEncoding },
      expectedStatus: 200,
    });
    const results = await inTurns(plan, FORMS.map(get));
    for (const [index, encoding] of FORMS.entries()) {
      const result = results[index];
      const plain = results[0];
      if (!result || !plain) throw new Error('A contender is missing.');
      const bytes = await bodyBytes(bench, path, encoding);
      const ratio = (result.requestsPerSecond / plain.requestsPerSecond).toFixed(2);
      const share = encoding === 'identity' ? '' : `${ratio} of identity, `;
      const name = `page of ${String(limit)}, ${encoding}`;
      table.add(name, result, `${share}${bytes.toLocaleString('en')} bytes`);
    }
  }
}

function bodyBytes({ service, key }: Bench, path: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'accept-encoding': encoding };
    const sent = request({ port: service.port, path, headers });
    sent.on('error', reject).end();
    sent.on('response', (response) => {
      resolve(Number(response.headers['content-length']));
      response.resume();
    });
  });
}
