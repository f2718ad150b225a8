import { shorten } from '../common/text/id';
import {
  type DatagridSchema,
  findColumn,
  type SchemaColumn,
} from '../datagrids/schema/datagrid-schema';
import { DestinationError } from '../destinations/destination';
import type { ResultColumn } from '../destinations/source';

/** Column keys by the names of columns of a result. */
export type ColumnMapping = Readonly<Record<string, string>>;

const MAX_SHOWN = 10;
const MAX_SHOWN_LENGTH = 60;

/**
 * Finds the columns of the datagrid for those of a result: by the mapping, or else by a key that is
 * equal to the name, or the only one that is equal apart from the case of letters.
 * @returns a column for each name; `null` if there is none.
 */
export function matchColumns(
  names: readonly string[],
  schema: DatagridSchema,
  mapping: ColumnMapping | null,
): (SchemaColumn | null)[] {
  const folded = new Map<string, SchemaColumn | null>();
  for (const column of schema.columns.values()) {
    const name = column.key.toLowerCase();
    folded.set(name, folded.has(name) ? null : column);
  }
  return names.map((name) => {
    if (mapping && Object.hasOwn(mapping, name)) {
      return findColumn(schema, mapping[name] ?? '') ?? null;
    }
    return findColumn(schema, name) ?? folded.get(name.toLowerCase()) ?? null;
  });
}

/** What a scheduled import says about columns. */
export interface ChosenColumns {
  readonly keyColumns: readonly string[];
  readonly mapping: ColumnMapping | null;
}

/**
 * Returns the columns of the datagrid for those of a result.
 * @throws DestinationError that names the columns that do not fit.
 */
export function requireColumns(
  result: readonly ResultColumn[],
  schema: DatagridSchema,
  { keyColumns, mapping }: ChosenColumns,
): SchemaColumn[] {
  const names = result.map(({ name }) => name);
  if (names.length === 0) throw configuration('The result has no columns.');
  const absent = Object.keys(mapping ?? {}).filter((name) => !names.includes(name));
  if (absent.length > 0) {
    throw configuration(
      `The result lacks ${shown('column', absent)} of the mapping. Correct \`columns\` or the query.`,
    );
  }
  const matched = matchColumns(names, schema, mapping);
  const unknown = names.filter((_, index) => matched[index] === null);
  if (unknown.length > 0) {
    throw configuration(
      `The datagrid has no column for ${shown('column', unknown)} of the result. Add it, rename it in the query or in \`columns\`, or leave it out.`,
    );
  }
  const columns = matched.filter((column) => column !== null);
  const readOnly = columns.filter(({ isReadOnly }) => isReadOnly).map(({ key }) => key);
  if (readOnly.length > 0) {
    throw configuration(
      `The service sets ${shown('column', readOnly)} of the datagrid. Leave it out of the query.`,
    );
  }
  const repeated = columns.filter((column, index) => columns.indexOf(column) !== index);
  if (repeated.length > 0) {
    const keys = repeated.map(({ key }) => key);
    throw configuration(
      `Several columns of the result are for ${shown('column', keys)} of the datagrid. Leave one out.`,
    );
  }
  requireKeyColumns(columns, schema, keyColumns);
  return columns;
}

/** The error for columns that the import names and that were removed. */
export const removedColumns = (keys: readonly string[]): DestinationError =>
  configuration(
    `The datagrid does not have ${shown('column', keys)} anymore. Restore it, or change the import.`,
  );

function requireKeyColumns(
  columns: readonly SchemaColumn[],
  schema: DatagridSchema,
  keyColumns: readonly string[],
): void {
  const unusable = keyColumns.filter((key) => findColumn(schema, key)?.unique !== true);
  if (unusable.length > 0) {
    throw configuration(
      `The datagrid has no unique ${shown('column', unusable)}. Make it unique, or choose other key columns.`,
    );
  }
  const keys = columns.map(({ key }) => key);
  const missing = keyColumns.filter((key) => !keys.includes(findColumn(schema, key)?.key ?? key));
  if (missing.length === 0) return;
  throw configuration(`The result lacks the key ${shown('column', missing)}. Select it.`);
}

const configuration = (message: string): DestinationError =>
  new DestinationError('configuration', message);

/** Prints names, such as `column "a"` or `columns "a", "b"`. */
function shown(noun: string, names: readonly string[]): string {
  const first = names
    .slice(0, MAX_SHOWN)
    .map((name) => JSON.stringify(shorten(name, MAX_SHOWN_LENGTH)));
  const more = names.length > MAX_SHOWN ? ` and ${String(names.length - MAX_SHOWN)} more` : '';
  return `${noun}${names.length > 1 ? 's' : ''} ${first.join(', ')}${more}`;
}
