import { rm } from 'node:fs/promises';
import { describeWithPythonFiles, runPython } from '../support/python-files/python';
import { SourceFile } from './duckdb-source-file';

/** Writes a file, and prints the version of DuckDB. */
const WRITE = `
import duckdb, json, sys
config = {'storage_compatibility_version': sys.argv[2]} if len(sys.argv) > 2 else {}
with duckdb.connect(sys.argv[1], config=config) as connection:
  connection.execute('''CREATE TABLE t AS SELECT 'é' AS code, 12345678901234567890.5::DECIMAL(38, 1) AS price,
    DATE '2026-11-21' AS day, [1, 2] AS list, {'a': 1} AS part''')
print(json.dumps(duckdb.__version__))`;

/** Reads a file. */
const READ = `
import duckdb, json, sys
with duckdb.connect(sys.argv[1], read_only=True) as connection:
  print(json.dumps(connection.execute('FROM t').fetchall()))`;

describeWithPythonFiles('the newest DuckDB for Python', () => {
  it('reads a file of the DuckDB of the service', async () => {
    const source = await SourceFile.create(["CREATE TABLE t AS SELECT 1 AS id, 'é' AS name"]);
    try {
      await expect(runPython(READ, source.path)).resolves.toEqual([[1, 'é']]);
    } finally {
      await source.remove();
    }
  });
});

describeWithPythonFiles('a file of the newest DuckDB for Python', () => {
  let source: SourceFile;

  beforeEach(async () => {
    source = await SourceFile.create([]);
    await rm(source.path);
  });

  afterEach(() => source.remove());

  it('is read if it has the storage version that the documentation names', async () => {
    await runPython(WRITE, source.path, 'v1.5.0');
    await expect(source.read('SELECT * FROM t')).resolves.toEqual([
      ['é', '12345678901234567890.5', '2026-11-21', '[1,2]', '{"a":1}'],
    ]);
  });

  it('is read with its default storage version, or its owner is told how to write it', async () => {
    await runPython(WRITE, source.path);
    const read = await source.read('SELECT code FROM t').catch((error: unknown) => error);
    const isRead = Array.isArray(read);
    expect(isRead ? read : { ...(read as object), message: (read as Error).message }).toEqual(
      isRead
        ? [['é']]
        : expect.objectContaining({
            kind: 'configuration',
            message: expect.stringMatching(
              /^The file was written by a newer DuckDB, .* Write it with \(STORAGE_VERSION 'v1\.5\.0'\) in ATTACH/,
            ),
          }),
    );
  });
});
