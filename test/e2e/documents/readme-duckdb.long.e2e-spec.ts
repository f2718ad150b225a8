import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fencesOf } from '../../support/document/fence';
import { Placeholders } from '../../support/document/placeholders';
import { eventually } from '../../support/eventually';
import { runExample } from '../../support/example-program';
import { inCopy } from '../../connections/duckdb-files';
import { dataOf, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const BLOCKS = fencesOf(readFileSync(join(__dirname, '../../../README.md'), 'utf8'));

/** Queries a copy of a file, because the service cannot write while another process has it open. */
const queryFile = (file: string, query: string): Promise<unknown[][]> =>
  inCopy(file, async (connection) => (await connection.runAndReadAll(query)).getRowsJson());

// It waits for a process of DuckDB to write a file.
it('README.md shows how to query a datagrid with SQL, and in a DuckDB file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'readme-'));
  // With the embedded PostgreSQL, these are the defaults.
  const files = {
    CONNECTION_FILES_DIR: join(directory, '.data/connections'),
    COLUMNAR_DIR: join(directory, '.data/columnar'),
  };
  const withFiles = await TestApp.start({ settings: files });
  try {
    const { api, key, accountId } = await withFiles.newAccount();
    const workspace = await newWorkspace(api);
    const airports = { name: 'Airports', columns: [{ key: 'state', type: 'text' }] };
    const { id } = dataOf(await api.post(`/workspaces/${workspace}/datagrids`, airports), 201);
    const rows = ['AK', 'TX', 'AK'].map((state) => ({ values: { state } }));
    dataOf(await api.post(`/datagrids/${String(id)}/rows`, { rows }), 201);
    const placeholders = new Placeholders({
      'http://localhost:3000': withFiles.origin,
      'mk_…': key,
      '/workspaces/…': `/workspaces/${workspace}`,
    });
    const call = async (part: string): Promise<string> => {
      const block = BLOCKS.find(({ language, text }) => language === 'sh' && text.includes(part));
      return runExample('curl', placeholders.toActual(block?.text ?? ''), directory);
    };
    expect(await call('public/workspaces')).toContain(`"id":"${workspace}"`);
    expect(await call('/sql')).toContain(
      '[{"state":"AK","airports":2},{"state":"TX","airports":1}]',
    );
    await call('/connections');
    const python = BLOCKS.find(({ text }) => text.includes('import duckdb'))?.text ?? '';
    const [, path = ''] = /glob\("(.+)"\)/.exec(python) ?? [];
    const [, query = ''] = /\.sql\("(.+)"\)/.exec(python) ?? [];
    const file = join(directory, path.replace('*', accountId));
    const found = await eventually(() => queryFile(file, query).catch(() => undefined));
    expect(found).toEqual([
      ['AK', '2'],
      ['TX', '1'],
    ]);
  } finally {
    await withFiles.close();
    await rm(directory, { recursive: true });
  }
});
