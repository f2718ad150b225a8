import { shorten } from '../../../common/text/shorten';
import type { FieldError } from '../../../common/error/field-error';
import { invalidRequest } from '../../../common/error/app-error';
import type { DatagridSchema, SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { BAD_BYTES } from '../read/utf8-text';

const MOST_SHOWN = 60;

/** A cell of the header, and the column it names. */
export interface HeaderCell {
  readonly name: string;
  /** `null` where there is none. */
  readonly column: SchemaColumn | null;
}

/**
 * Finds the columns that header cells name: by key, or else by a title that only one has.
 * @throws AppError `invalid_request` for a cell that is empty or no text, or a column named twice.
 */
export function readHeader(schema: DatagridSchema, cells: readonly string[]): HeaderCell[] {
  const problems: FieldError[] = [];
  const seen = new Set<string>();
  const found = cells.map((cell, index) => {
    const name = cell.trim();
    const column = schema.columns.get(name) ?? byTitle(schema, name);
    const refuse = (code: string, message: string): void => {
      problems.push({ field: `header.${String(index)}`, code, message });
    };
    if (name === '') refuse('required', 'must name a column');
    else if (name.includes(BAD_BYTES)) refuse('invalid_utf8', 'must be UTF-8');
    else if (name.includes('\0')) refuse('invalid_text', 'must not hold the NUL character');
    else if (seen.has(column?.key ?? name)) {
      refuse('repeated', `names ${shown(name)}, as a cell before it does`);
    }
    seen.add(column?.key ?? name);
    return { name, column };
  });
  if (problems.length > 0) throw invalidRequest(problems);
  return found;
}

/** 400 for the cells that name no column. */
export function unknownCells(cells: readonly HeaderCell[]): Error {
  return invalidRequest(
    cells.flatMap(({ name, column }, index) => {
      if (column) return [];
      const message = `names ${shown(name)}, which is no column of this datagrid`;
      return [{ field: `header.${String(index)}`, code: 'unknown_column', message }];
    }),
  );
}

function byTitle(schema: DatagridSchema, title: string): SchemaColumn | null {
  const found = [...schema.columns.values()].filter((column) => column.title === title);
  return found.length === 1 ? (found[0] ?? null) : null;
}

function shown(name: string): string {
  return JSON.stringify(shorten(name, MOST_SHOWN));
}
