import {
  type DetailCode,
  type FieldError,
  invalidRequest,
  MAX_COUNTED_DETAILS,
} from '../../common/error/app-error';
import { shorten } from '../../common/text/id';
import {
  type DatagridSchema,
  findColumn,
  type SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import { badBytes } from '../check/cell-row-check';
import type { CheckedRows } from '../check/row-rules';
import type { Encoding } from '../read/body-text';
import { matchNames } from '../read/column-names';
import { findBadByte } from '../../common/encoding/utf8-text';

const MAX_SHOWN = 60;

/** A cell of the header and the column that it names. */
export interface HeaderCell {
  readonly name: string;
  /** `null` if not exactly one column matches. */
  readonly column: SchemaColumn | null;
  /** Whether several columns match. */
  readonly isAmbiguous: boolean;
}

/**
 * Finds the columns that header cells name: by a title that only one column has, or else by key; see
 * `matchNames`. Blank cells name no column.
 * @param ignoresReadOnly Whether cells can name columns whose values the service sets.
 * @throws AppError `invalid_request` if the header is blank or contains invalid text, or names a
 *   column twice.
 */
export function readHeader(
  schema: DatagridSchema,
  cells: readonly string[],
  encoding: Encoding,
  ignoresReadOnly = false,
): HeaderCell[] {
  const problems: FieldError[] = [];
  const seen = new Map<string, number>();
  const names = cells.map((cell) => cell.trim());
  const matches = matchNames(names, schema.columns.values(), (name) => findColumn(schema, name));
  const found = names.map((name, index): HeaderCell => {
    const match = matches[index] ?? null;
    const isAmbiguous = match === 'several';
    const column = isAmbiguous ? null : match;
    if (name === '') return { name, column, isAmbiguous };
    const reject = (code: DetailCode, message: string): void => {
      if (problems.length === MAX_COUNTED_DETAILS) return;
      problems.push({ field: `header.${String(index)}`, code, message });
    };
    const id = column ? `key ${column.key}` : name;
    const before = seen.get(id);
    const bad = findBadByte(name);
    if (bad) {
      const { code, message } = badBytes(encoding, bad);
      reject(code, message);
    } else if (name.includes('\0')) reject('invalid_text', NUL);
    else if (match === null && isComputedName(schema, name)) {
      reject('read_only', `${shown(name)} is computed; leave it out of the file`);
    } else if (column?.isReadOnly && !ignoresReadOnly) {
      reject(
        'read_only',
        `${shown(name)} is set by the service; leave the column out of the file, or send ignoreReadOnly=true`,
      );
    } else if (before !== undefined) {
      reject(
        'duplicate_column',
        `duplicate column name ${shown(name)}, already in header.${String(before)}`,
      );
    }
    seen.set(id, before ?? index);
    return { name, column, isAmbiguous };
  });
  if (found.every(({ name }) => name === '')) {
    const message = 'must name at least one column';
    problems.push({ field: 'header', code: 'required', message });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return found;
}

const NUL =
  'must not contain the NUL character; if the file is UTF-16, send encoding=utf-16le or encoding=utf-16be';

/**
 * Returns a 400 error for the cells that name no column.
 * @param createColumns Whether only those are errors that could name several columns.
 */
export function unknownCells(
  schema: DatagridSchema,
  cells: readonly HeaderCell[],
  createColumns: boolean,
): Error {
  const problems: FieldError[] = [];
  for (const [index, { name, column, isAmbiguous }] of cells.entries()) {
    if (column || name === '' || (createColumns && !isAmbiguous)) continue;
    if (problems.length === MAX_COUNTED_DETAILS) break;
    const message = isAmbiguous
      ? ambiguity(schema, name)
      : `unknown column ${shown(name)}; use a column key or title, or createColumns=true`;
    problems.push({ field: `header.${String(index)}`, code: 'unknown_column', message });
  }
  return invalidRequest(problems);
}

function ambiguity(schema: DatagridSchema, name: string): string {
  return findColumn(schema, name)
    ? `${shown(name)} is the title of one column and the key of another; change the title`
    : `${shown(name)} is the title of several columns; use a column key`;
}

/** Returns whether a cell names a computed column, by key or title. */
function isComputedName({ computed }: DatagridSchema, name: string): boolean {
  return computed.has(name) || [...computed.values()].some(({ title }) => title === name);
}

function shown(name: string): string {
  return JSON.stringify(shorten(name, MAX_SHOWN));
}

/** Converts a body that arrives in chunks to rows that are checked against the columns. */
export interface RowSource {
  /** Yields batches of rows that arrived together. */
  rows(chunks: AsyncIterable<Buffer>): AsyncIterable<CheckedRows>;
}
