import { type FieldError, invalidRequest } from '../common/error/app-error';

const MEMBERS = {
  update: ['id', 'values', 'ifRevision'],
  delete: ['id', 'ifRevision'],
} as const;

/**
 * Returns a function that turns `rows` of a tool into operations of an atomic batch. Rows that are not
 * objects, and more rows than a batch can have, are passed on: the route rejects them.
 */
export function operationsOf(op: keyof typeof MEMBERS) {
  return ({ rows, ...rest }: Readonly<Record<string, unknown>>): object => ({
    ...rest,
    mode: 'atomic',
    operations: isBatch(rows) ? withOperation(op, rows) : rows,
  });
}

/** A longer list is not looked at: the route rejects it. */
const MAX_ROWS = 1_000;

const isBatch = (rows: unknown): rows is unknown[] =>
  Array.isArray(rows) && rows.length <= MAX_ROWS;

/** @throws AppError `invalid_request` if a row has an unknown member, such as another operation. */
function withOperation(op: keyof typeof MEMBERS, rows: readonly unknown[]): unknown[] {
  const known: readonly string[] = MEMBERS[op];
  const errors: FieldError[] = [];
  const operations = rows.map((row, index) => {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
    for (const name of Object.keys(row)) {
      if (!known.includes(name)) errors.push(unknownMember(`rows.${String(index)}.${name}`, known));
    }
    return { ...row, op };
  });
  if (errors.length > 0) throw invalidRequest(errors);
  return operations;
}

export function unknownMember(field: string, known: readonly string[]): FieldError {
  const message = `is not a known property; expected one of: ${known.join(', ')}`;
  return { field, code: 'unknown_property', message };
}
