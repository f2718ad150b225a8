import {
  conflict,
  type FieldError,
  fieldError,
  invalidField,
  invalidRequest,
} from '../../common/error/app-error';
import { columnOptionsProblems } from '../column-type/column-options';
import {
  type ColumnType,
  isComparable,
  isComputed,
  isLink,
  isReadOnly,
  type TypeRules,
} from '../column-type/column-type';
import type { ColumnOptions } from '../column-type/descriptor';
import { defaultProblems } from './column-default';
import type { StoredDefault } from './datagrid-column.entity';
import type { CreateColumnDto } from './dto/column.dto';

export interface ColumnRules {
  readonly type: ColumnType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly options: ColumnOptions;
  /** `null` for no default value. */
  readonly defaultValue: StoredDefault | null;
}

/** Validates a column beyond the format of its properties. `prefix` is its path in the body. */
export function columnProblems(column: ColumnRules, prefix = ''): FieldError[] {
  const problems = columnOptionsProblems(column.type, column.options).map((problem) => ({
    ...problem,
    field: `${prefix}${problem.field}`,
  }));
  const message = `is not supported for columns of type ${column.type}`;
  if (column.unique && !isComparable(column.type)) {
    problems.push({ field: `${prefix}unique`, code: 'incompatible_parameters', message });
  }
  if (column.indexed && !isComparable(column.type)) {
    problems.push({ field: `${prefix}indexed`, code: 'incompatible_parameters', message });
  }
  if (isComputed(column.type) && column.required) {
    problems.push({ field: `${prefix}required`, code: 'incompatible_parameters', message });
  }
  const hasDefault = column.defaultValue !== null;
  if (hasDefault && (isLink(column.type) || isComputed(column.type))) {
    problems.push({ field: `${prefix}defaultValue`, code: 'incompatible_parameters', message });
  }
  if (isReadOnly(column.type)) {
    // The numbers of a column are different in any case, and rows can exist without an author.
    const given = {
      required: column.required,
      unique: column.unique,
      defaultValue: column.defaultValue !== null,
    };
    for (const [name, isGiven] of Object.entries(given)) {
      if (isGiven)
        problems.push(fieldError(`${prefix}${name}`, 'incompatible_parameters', message));
    }
  }
  if (column.required && column.options.onDelete === 'clear') {
    problems.push({
      field: `${prefix}options.onDelete`,
      code: 'incompatible_parameters',
      message: 'cannot be clear for a required column, which would lose its value',
    });
  }
  // A default value is checked against options that are valid.
  return problems.length > 0 ? problems : defaultProblems(column, prefix);
}

/** @throws AppError `invalid_request` naming each problem of a column. */
export function rejectProblems(column: ColumnRules): void {
  const problems = columnProblems(column);
  if (problems.length > 0) throw invalidRequest(problems);
}

/**
 * Validates the columns of a new datagrid.
 * @throws AppError `invalid_request` naming each problem; `conflict` for a duplicate key.
 */
export function checkNewColumns(columns: readonly CreateColumnDto[], limit: number): void {
  if (columns.length > limit) throw tooManyColumns(limit);
  const problems = columns.flatMap((column, index) =>
    columnProblems(
      {
        type: column.type,
        required: column.required ?? false,
        unique: column.unique ?? false,
        indexed: column.indexed ?? false,
        options: column.options ?? {},
        defaultValue: column.defaultValue ?? null,
      },
      `columns.${String(index)}.`,
    ),
  );
  if (problems.length > 0) throw invalidRequest(problems);
  const seen = new Set<string>();
  columns.forEach(({ key }, index) => {
    if (seen.has(key)) throw keyTaken(`columns.${String(index)}.key`);
    seen.add(key);
  });
}

export function tooManyColumns(limit: number): Error {
  const message = `must not contain more than ${String(limit)} columns`;
  return invalidRequest([{ field: 'columns', code: 'out_of_range', message }]);
}

export function keyTaken(field = 'key'): Error {
  return duplicateKey(field, 'is already used by another column in this datagrid');
}

/** The error for a key that another column had before, and that requests may still use for it. */
export function previousKeyTaken(): Error {
  const message =
    'is a previous key of another column; release it there with releaseKeys, or use another key';
  return duplicateKey('key', message);
}

/** The error for a column that is restored while another one has its key. */
export function restoredKeyTaken(): Error {
  const message =
    'is used by another column by now; send another key to restore the column under it';
  return duplicateKey('key', message);
}

function duplicateKey(field: string, message: string): Error {
  return conflict(`${field}: ${message}`, [{ field, code: 'duplicate', message }]);
}

/**
 * Rejects a change that would make stored ids refer to other rows, or values into ids, or values of
 * clients into values that the service sets.
 * @throws AppError `invalid_request`
 */
export function rejectOtherSource(before: TypeRules, after: TypeRules): void {
  if (isReadOnly(after.type) && before.type !== after.type) {
    const message = `cannot change to ${after.type}, whose values the service sets; add another column instead`;
    throw invalidField('type', 'incompatible_parameters', message);
  }
  if (before.options.start !== after.options.start && before.type === after.type) {
    const message = 'cannot change; add another column instead';
    throw invalidField('options.start', 'incompatible_parameters', message);
  }
  rejectChangedLink(before, after);
}

function rejectChangedLink(before: TypeRules, after: TypeRules): void {
  rejectChangedComputed(before, after);
  if (!isLink(before.type) && !isLink(after.type)) return;
  if (before.type !== after.type) {
    const message = 'cannot change to or from a link; add another column instead';
    throw invalidField('type', 'incompatible_parameters', message);
  }
  if (before.options.datagridId === after.options.datagridId) return;
  const message = 'cannot change; add another column instead';
  throw invalidField('options.datagridId', 'incompatible_parameters', message);
}

/** Values of a computed column are not stored, so no other column can have them, or become it. */
function rejectChangedComputed(before: TypeRules, after: TypeRules): void {
  if (!isComputed(before.type) && !isComputed(after.type)) return;
  if (before.type !== after.type) {
    const message = 'cannot change to or from a computed column; add another column instead';
    throw invalidField('type', 'incompatible_parameters', message);
  }
  const read = ({ options }: TypeRules): string =>
    JSON.stringify([options.link, options.datagridId, options.column]);
  if (read(before) === read(after)) return;
  const message = 'cannot change for a computed column; add another column instead';
  throw invalidField('options', 'incompatible_parameters', message);
}
