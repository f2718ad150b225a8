import { Client } from 'pg';
import { TestApp } from '../support/test-app';
import { collectStatements, type Collected } from './collect-statements';
import { distributedTables } from './distribution';
import { OWN, runEverything } from './workload';
import { writeFileSync } from 'node:fs';

jest.setTimeout(300_000);
const mention = new RegExp(`\\b(${distributedTables().join('|')})\\b`);
let app: TestApp;
let client: Client;
let found: readonly Collected[];

beforeAll(async () => {
  const collected = collectStatements();
  app = await TestApp.start({ settings: { QUOTA_ROWS: '1000000' } });
  try { await runEverything(app); } catch (e) { console.log(String(e)); }
  collected.stop();
  found = [...collected.found.values()].filter(({ text }) => !text.startsWith(OWN));
  client = new Client({ connectionString: app.database.url });
  await client.connect();
});
afterAll(async () => { await client.end(); await app.close(); });

it('x', async () => {
  const out: string[] = [];
  for (const { text, name = '', values } of found) {
    if (!mention.test(text) || /^\s*COPY/.test(text)) continue;
    try {
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
      const s = JSON.stringify(rows[0]['QUERY PLAN']);
      const tasks = [...s.matchAll(/"Task Count":(\d+)/g)].map((m) => m[1]).join(',');
      const bad = s.includes("\"Subplans\"") || tasks !== '1';
      if (bad && name.startsWith('row-create')) out.push(JSON.stringify({ values, text }));
      if (bad) out.push(`${name} tasks=${tasks} sub=${s.includes('Subplans')} ${[...s.matchAll(/"Custom Plan Provider":"([^"]+)"/g)].map((m) => m[1]).join(',')}`);
    } catch (e) { out.push(`${name} ERROR ${String(e)} :: ${name ? '' : text}`); }
  }
  for (const line of app.logs) { const o = JSON.parse(line); if (o.err) out.push('LOG ' + (o.err.statement ?? '') + ' ' + o.err.message); }
  writeFileSync('/work/citus/routing.txt', out.join('\n'));
});
