import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CreateColumnDto } from '../datagrids/column/dto/create-column.dto';

/** Airports of the United States, as `vega-datasets` has them. */
export const AIRPORT_COLUMNS: readonly CreateColumnDto[] = [
  { key: 'iata', type: 'text', title: 'IATA code', required: true, unique: true },
  { key: 'name', type: 'text', title: 'Name', required: true },
  { key: 'city', type: 'text', title: 'City' },
  { key: 'state', type: 'text', title: 'State' },
  { key: 'country', type: 'text', title: 'Country', required: true },
  { key: 'latitude', type: 'number', title: 'Latitude', required: true },
  { key: 'longitude', type: 'number', title: 'Longitude', required: true },
];

type Values = Readonly<Record<string, string | number>>;

/** The rows' values by column key. @throws Error where the optional packages are not installed. */
export async function readAirports(): Promise<Values[]> {
  // Loaded only here: the packages are optional, and a service with its own database lacks them.
  const { parse } = await import('csv-parse/sync');
  const directory = dirname(require.resolve('vega-datasets'));
  const text = await readFile(join(directory, '../data/airports.csv'), 'utf8');
  return parse<Record<string, string>>(text, { columns: true }).map(valuesOf);
}

function valuesOf(record: Readonly<Record<string, string>>): Values {
  const values = AIRPORT_COLUMNS.flatMap(({ key, type }) => {
    const text = record[key] ?? '';
    // "NA" is how the source says that there is none.
    if (text === '' || text === 'NA') return [];
    return [[key, type === 'number' ? Number(text) : text] as const];
  });
  return Object.fromEntries(values);
}
