import { randomUUID } from 'node:crypto';
import { describeWithPythonFiles, runPython } from '../support/python-files/python';
import { csv, row, set } from './contract-lines';
import { COLUMNS } from './contract-tables';
import { createDirectory, destinationFor, type TestDirectory } from './parquet-files';

const { name, tags } = COLUMNS;
const TWO = [name, tags];

const POLARS = `
import json, sys, polars
with open(sys.argv[1] + '/_manifest.json') as manifest:
  files = [sys.argv[1] + '/' + name for name in json.load(manifest)['files']]
frame = polars.read_parquet(files).sort('_id')
print(json.dumps({
  'types': {column: str(type) for column, type in frame.schema.items() if not column.startswith('_')},
  'tags': frame['tags'].to_list(),
}))`;

describeWithPythonFiles('a Parquet file of a connection, in Polars', () => {
  let files: TestDirectory;

  beforeAll(async () => {
    files = await createDirectory();
  });

  afterAll(() => files.remove());

  it('has text and JSON as texts, after a load and after a merge', async () => {
    const accountId = randomUUID();
    const table = { id: randomUUID(), name: 'readers', deletions: 'delete' } as const;
    const writer = await destinationFor({ directory: files.directory, accountId }).open(table);
    await writer.claim(1);
    await writer.beginLoad(TWO, 'begun');
    await writer.append(TWO, csv([row(1, 1, 'a', '["x",1.50]'), row(2, 1, 'b', null)]), 'part');
    await writer.finishLoad(TWO, 'loaded');
    const read = (): Promise<unknown> => runPython(POLARS, files.path(accountId, table.name));
    const types = { name: 'String', tags: 'String' };
    expect(await read()).toEqual({ types, tags: ['["x",1.50]', null] });
    await writer.merge(TWO, csv([set(2, 2, 'b', '{"y":"é"}')]), 'merged');
    expect(await read()).toEqual({ types, tags: ['["x",1.50]', '{"y":"é"}'] });
    await writer.close();
  });
});
