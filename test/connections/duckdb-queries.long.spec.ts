import type { ResultRow } from '../../src/destinations/source';
import { SourceFile } from './duckdb-source-file';

/** Each query starts a process. */
jest.setTimeout(60_000);

let source: SourceFile;

beforeAll(async () => {
  source = await SourceFile.create(["CREATE TABLE t AS SELECT 'a' AS code"]);
});

afterAll(() => source.remove());

const NOT_ONE_SELECT = 'The query must be one SELECT statement without parameters. Correct it.';

describe('a query of a DuckDB file', () => {
  it.each<[string, string, string | RegExp]>([
    ['a comment alone', '-- c', NOT_ONE_SELECT],
    ['an empty text', '', NOT_ONE_SELECT],
    ['a semicolon', ';', NOT_ONE_SELECT],
    ['two statements', 'SELECT 1; SELECT 2', NOT_ONE_SELECT],
    ['PRAGMA', 'PRAGMA database_size', /^The query failed\. Correct it\. DuckDB: /],
    ['SET', 'SET threads = 1', NOT_ONE_SELECT],
    ['EXPLAIN', 'EXPLAIN SELECT 1', NOT_ONE_SELECT],
    ['EXPLAIN ANALYZE', 'EXPLAIN ANALYZE SELECT 1', NOT_ONE_SELECT],
    ['CALL', 'CALL force_checkpoint()', NOT_ONE_SELECT],
    ['a parameter', 'SELECT ? AS code', NOT_ONE_SELECT],
    ['no columns', 'SELECT', /^The query failed\. Correct it\. DuckDB: /],
    ['a NUL character', "SELECT 'a' AS code \0 FROM t", NOT_ONE_SELECT],
    ['a NUL character alone', '\0', NOT_ONE_SELECT],
    ['an error of its own', "SELECT error('IO Error: x')", /DuckDB: Invalid Input Error: IO Error/],
    ['a huge error', "SELECT error(repeat('x', 1000000))", /^The query failed\. Correct it\./],
    ['a long text', "SELECT repeat('x', 2100000)", /^A row of the result has more than 2097152/],
    ['a long list', 'SELECT range(400000)', /^A row of the result has more than 2097152/],
    ['a long BLOB', "SELECT repeat('x', 7000000)::BLOB", /^A row of the result has more than/],
  ])('fails as one that its owner must correct if it is %s', async (_, query, message) => {
    await expect(source.read(query)).rejects.toMatchObject({
      kind: 'configuration',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it.each<[string, string, ResultRow[]]>([
    ['columns of the same name', "SELECT 'a' AS c, 'b' AS c", [['a', 'b']]],
    ['a comment at its end', "SELECT 'a' AS c -- ;", [['a']]],
    ['semicolons at its end', "SELECT 'a' AS c;;", [['a']]],
    ['NUL characters in a value', "SELECT 'a' || chr(0) AS c", [['a\0']]],
    ['a byte order mark in a value', "SELECT chr(65279) || 'a' AS c", [['\ufeffa']]],
    ['no rows', 'SELECT 1 AS c WHERE false', []],
    ['a text of the maximum length', "SELECT length(repeat('é', 2000000)) AS c", [['2000000']]],
  ])('returns its rows if it has %s', async (_, query, rows) => {
    await expect(source.read(query)).resolves.toEqual(rows);
  });

  it.each([
    'SELECT path AS c FROM duckdb_databases() WHERE path IS NOT NULL',
    "SELECT current_setting('allowed_paths') AS c",
    "SELECT {'a': value} AS c FROM duckdb_settings() WHERE value LIKE '%sales.duckdb%'",
    "SELECT error('>' || path) FROM duckdb_databases() WHERE path IS NOT NULL",
  ])('shows the path of its file without the directories of the server: %s', async (query) => {
    const shown = await source.read(query).catch((error: unknown) => error);
    const text = shown instanceof Error ? shown.message : JSON.stringify(shown);
    expect(text).toMatch(/[^\w/]sales\.duckdb/);
    expect(text).not.toContain(source.directory);
  });

  it('ends after its time if it never does so by itself', async () => {
    const query =
      'SELECT count(*) FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT 1 FROM r) FROM r)';
    await expect(source.read(query, { timeoutMs: 2_000 })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^The query took more than 2 seconds\./),
    });
  });
});
