import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DestinationError } from '../../src/destinations/destination';
import { MEMORY_BYTES, peakOfChildren, SourceFile } from './duckdb-source-file';

/** Each query starts a process. */
jest.setTimeout(120_000);

/** What the documentation allows, and what a process can allocate between two looks at it. */
const MAX_PEAK_BYTES = MEMORY_BYTES + 200 * 1024 * 1024 + 500 * 1024 * 1024;
const SECRET = 'secret of another account';

let source: SourceFile;

afterEach(() => source.remove());

const describeOnLinux = existsSync('/proc/self/status') ? describe : describe.skip;

describeOnLinux('a query of a DuckDB file that needs gigabytes', () => {
  it.each([
    ['a list of large texts', "SELECT list_transform(range(40), x -> repeat('x', 50000000)) AS a"],
    ['a text of 600 MB', "SELECT repeat('x', 600000000) AS a"],
    ['a text of 3 GB', "SELECT repeat('x', 3000000000) AS a"],
    ['many large texts', "SELECT repeat('x', 2000000) || range AS a FROM range(2000)"],
    ['an aggregate of large texts', "SELECT list(repeat('x', 1000000)) FROM range(3000)"],
    ['JSON of a large list', 'SELECT list(range) AS a FROM range(300000000)'],
    [
      'a recursion without end',
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r',
    ],
  ])('is ended, and its owner is told so: %s', async (_, query) => {
    source = await SourceFile.create(['CREATE TABLE t (a INTEGER)']);
    let failure: unknown;
    const peak = await peakOfChildren(async () => {
      failure = await source.read(query, { timeoutMs: 60_000 }).catch((error: unknown) => error);
    });
    expect(failure).toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(
        /^(The query needs more memory than the operator allows|A row of the result has more than)/,
      ),
    });
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MAX_PEAK_BYTES);
  });
});

/** Statements and queries that would create or read a file, or reach the network, if they could. */
const ATTEMPTS = [
  "CALL enable_logging(storage = 'file', storage_path = '{directory}/log')",
  "SELECT * FROM enable_logging('QueryLog', storage := 'file', storage_path := '{directory}/log')",
  "FROM enable_logging(storage = 'file', storage_config = {'path': '{directory}/log'})",
  "SELECT write_log('stolen')",
  "SET enable_profiling = 'json'",
  "PRAGMA enable_profiling = 'json'",
  "SET profiling_output = '{directory}/profile.json'",
  "SET log_query_path = '{directory}/queries.log'",
  'SELECT * FROM force_checkpoint()',
  'CALL force_checkpoint()',
  'CHECKPOINT',
  "COPY (SELECT 1) TO '{directory}/stolen.csv'",
  "COPY t FROM '{directory}/other.txt'",
  "EXPORT DATABASE '{directory}/export'",
  "IMPORT DATABASE '{directory}/export'",
  "ATTACH '{directory}/sales.duckdb' AS other",
  "ATTACH ':memory:' AS other",
  "SELECT * FROM '{directory}/other.txt'",
  'INSTALL httpfs',
  'LOAD httpfs',
  "LOAD '{directory}/other.txt'",
  "SELECT * FROM read_csv('{directory}/other.txt')",
  "SELECT * FROM read_text('{directory}/other.txt')",
  "SELECT * FROM read_blob('{directory}/other.txt')",
  "SELECT * FROM read_json('{directory}/other.txt')",
  "SELECT * FROM read_parquet('{directory}/other.txt')",
  "SELECT * FROM sniff_csv('{directory}/other.txt')",
  "SELECT * FROM parquet_metadata('{directory}/other.txt')",
  "SELECT * FROM read_duckdb('{directory}/sales.duckdb')",
  "SELECT * FROM glob('{directory}/*')",
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT * FROM read_text('https://127.0.0.1:1/x')",
  "SELECT * FROM read_csv('s3://bucket/x')",
  "SELECT getenv('HOME')",
  'SET enable_external_access = true',
  'RESET enable_external_access',
  "SET temp_directory = '{directory}/temp'",
  "SELECT set_config('enable_external_access', 'true')",
  "SELECT * FROM query('SELECT * FROM read_text(''{directory}/other.txt'')')",
  "SELECT * FROM query_table('{directory}/other.txt')",
  "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''{directory}/other.txt'')'))",
  'CREATE TABLE stolen AS SELECT * FROM t',
  "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
  'SELECT * FROM hidden_read',
  'SELECT * FROM hidden_query',
  'SELECT * FROM hidden_glob',
  'SELECT * FROM hidden_table()',
  "SELECT hidden_scalar('{directory}/other.txt')",
  'SELECT * FROM hidden_log',
];

/** A file that its owner has prepared elsewhere, where everything is allowed. */
const CRAFTED = [
  'CREATE TABLE t (a VARCHAR)',
  "CREATE VIEW hidden_read AS SELECT * FROM read_text('{directory}/other.txt')",
  "CREATE VIEW hidden_query AS SELECT * FROM query('SELECT * FROM read_text(''{directory}/other.txt'')')",
  "CREATE VIEW hidden_glob AS SELECT * FROM glob('{directory}/*')",
  "CREATE MACRO hidden_table() AS TABLE SELECT * FROM read_text('{directory}/other.txt')",
  'CREATE MACRO hidden_scalar(path) AS (SELECT content FROM read_text(path))',
  "CREATE VIEW hidden_log AS SELECT write_log('stolen')",
];

it('A query that fails in a late row returns an error, and not the rows before it as if they were all', async () => {
  source = await SourceFile.create(['CREATE TABLE t (a INTEGER)']);
  const text = "CASE WHEN range = 300000 THEN 'x' ELSE range::VARCHAR END";
  const query = `SELECT CAST(${text} AS INTEGER) FROM range(1000000)`;
  await expect(source.read(query)).rejects.toMatchObject({
    kind: 'configuration',
    message: expect.stringContaining('A row after those that were returned is not valid.'),
  });
});

describe('a query of a DuckDB file that its owner has prepared', () => {
  it('creates and reads no file, opens no network and changes no setting', async () => {
    // The file of another account, and a text.
    source = await SourceFile.create(['CREATE TABLE other (a VARCHAR)']);
    const { directory } = source;
    await writeFile(join(directory, 'other.txt'), SECRET);
    const crafted = await SourceFile.create(
      CRAFTED.map((statement) => statement.replaceAll('{directory}', directory)),
    );
    const content = await readFile(crafted.path);
    const before = [await tree(directory), await tree(crafted.directory), await tree('.')];
    try {
      const unexpected: unknown[] = [];
      for (const attempt of ATTEMPTS) {
        const query = attempt.replaceAll('{directory}', directory);
        const outcome = await crafted.read(query).catch((error: unknown) => error);
        const isRejected = outcome instanceof DestinationError && outcome.kind === 'configuration';
        const isHarmless =
          Array.isArray(outcome) && outcome.flat().every((value) => value === null);
        if (!isRejected && !isHarmless) unexpected.push({ attempt, outcome });
      }
      expect(unexpected).toEqual([]);
      const after = [await tree(directory), await tree(crafted.directory), await tree('.')];
      expect(after).toEqual(before);
      expect((await readFile(crafted.path)).equals(content)).toBe(true);
    } finally {
      await crafted.remove();
    }
  });
});

/** Returns the names in a directory; those of the working directory are its own, not their content. */
async function tree(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: directory !== '.' })).sort();
}
