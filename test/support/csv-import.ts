import type { ApiClient, Json } from './api-client';
import type { CsvCase } from './csv-cases';
import { dataOf, newDatagrid } from './fixture';

/** Creates a datagrid with a column of texts for each name of a header. */
export function datagridFor(api: ApiClient, { header }: CsvCase): Promise<string> {
  const columns = header.map((title, at) => ({ key: `c${String(at)}`, title, type: 'text' }));
  return newDatagrid(api, columns);
}

/** Compares the rows of a datagrid and the report of the import that skipped rejected lines. */
export async function expectRows(
  api: ApiClient,
  grid: string,
  report: Json,
  { header, rows }: CsvCase,
): Promise<void> {
  const stored = dataOf(await api.get(`${grid}/rows?limit=200`), 200) as unknown as Json[];
  const read = rows.flatMap(([, row]) => ('rejected' in row ? [] : [row]));
  expect(
    stored.map(({ values }) => header.map((_, at) => values[`c${String(at)}`] ?? null)),
  ).toEqual(read);
  const rejected = rows.flatMap(([line, row]) =>
    'rejected' in row ? [[line, expect.stringContaining(row.rejected) as string]] : [],
  );
  const errors = report.errors as Json[];
  expect(errors.map(({ line, details }) => [line, details[0].message])).toEqual(rejected);
}
