import {
  type FieldError,
  fieldError,
  invalidField,
  invalidRequest,
} from '../../common/error/app-error';
import {
  type DatagridSchema,
  findShownColumn,
  type SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import {
  type CheckedValues,
  listOf,
  MAX_MATCHED_COLUMNS,
  members,
  type Members,
  readDryRun,
  readRows,
  readValues,
  rejectOthers,
} from '../values/row-values';
import type { Batch, Operation, UpsertOperation } from './operation';

const MAX_OPERATIONS = 1_000;

const MEMBERS: Readonly<Record<Operation['op'], readonly string[]>> = {
  create: ['op', 'values'],
  update: ['op', 'id', 'values', 'ifRevision'],
  replace: ['op', 'id', 'values', 'ifRevision'],
  delete: ['op', 'id', 'ifRevision'],
  upsert: ['op', 'values', 'matchOn', 'ifRevision'],
};

/**
 * Reads `{ mode, dryRun?, operations }`.
 * @throws AppError `invalid_request` with the path of the invalid field.
 */
export function readBatchBody(body: unknown): Batch {
  const object = members(body, 'body');
  rejectOthers(object, ['mode', 'dryRun', 'operations'], '');
  const { mode, operations } = object;
  if (mode === undefined)
    throw invalidField('mode', 'required', 'is required; expected atomic or partial');
  if (mode !== 'atomic' && mode !== 'partial') {
    throw invalidField('mode', 'invalid_format', 'must be atomic or partial');
  }
  const list = listOf(operations, 'operations', MAX_OPERATIONS, 'operations');
  return {
    isAtomic: mode === 'atomic',
    isDryRun: readDryRun(object),
    list: 'operations',
    rejectsRepeats: false,
    operations: list.map((each, index) => readOperation(each, `operations.${String(index)}`)),
  };
}

function readOperation(json: unknown, path: string): Operation {
  const object = members(json, path);
  const prefix = `${path}.`;
  const op = readOp(object['op'], `${prefix}op`);
  rejectOthers(object, MEMBERS[op], prefix);
  const ifRevision = (): number | undefined =>
    object['ifRevision'] === undefined ? undefined : wholeNumber(object, 'ifRevision', prefix);
  switch (op) {
    case 'create':
      return { op, path, row: readValues(object, prefix) };
    case 'update':
    case 'replace': {
      const id = wholeNumber(object, 'id', prefix);
      return { op, path, id, row: readValues(object, prefix), ifRevision: ifRevision() };
    }
    case 'delete':
      return { op, path, id: wholeNumber(object, 'id', prefix), ifRevision: ifRevision() };
    case 'upsert': {
      const matchOnPath = `${prefix}matchOn`;
      const matchOn = readMatchOn(object['matchOn'], matchOnPath);
      const row = readValues(object, prefix);
      return { op, path, row, matchOn, matchOnPath, ifRevision: ifRevision() };
    }
  }
}

function readOp(op: unknown, field: string): Operation['op'] {
  if (typeof op === 'string' && Object.hasOwn(MEMBERS, op)) return op as Operation['op'];
  const names = Object.keys(MEMBERS).join(', ');
  throw op === undefined
    ? invalidField(field, 'required', `is required; expected one of: ${names}`)
    : invalidField(field, 'invalid_format', `must be one of ${names}`);
}

function wholeNumber(object: Members, name: string, prefix: string): number {
  const value = object[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw value === undefined
    ? invalidField(`${prefix}${name}`, 'required', 'is required')
    : invalidField(`${prefix}${name}`, 'wrong_type', 'must be an integer from 1');
}

/** Reads a list of one to four column keys. @throws AppError `invalid_request` */
function readMatchOn(json: unknown, path: string): string[] {
  if (json === undefined) throw invalidField(path, 'required', 'is required');
  return listOf(json, path, MAX_MATCHED_COLUMNS, 'column keys').map((key, index, all) => {
    const field = `${path}.${String(index)}`;
    if (typeof key !== 'string') throw invalidField(field, 'wrong_type', 'must be a column key');
    if (all.indexOf(key) < index) throw invalidRequest([repeatedColumn(field)]);
    return key;
  });
}

/** The error for a column that is named before, by the same key or by another one. */
const repeatedColumn = (field: string): FieldError =>
  fieldError(field, 'duplicate_column', 'duplicates an earlier column');

/** Returns the columns that an upsert matches rows by. Adds what is invalid to `problems`. */
export function matchedColumns(
  schema: DatagridSchema,
  { matchOn, matchOnPath, row }: UpsertOperation,
  { bySlot }: CheckedValues,
  problems: FieldError[],
): SchemaColumn[] {
  const rejectedFields = new Set(problems.map(({ field }) => field));
  const columns = matchOn.map((key) => findShownColumn(schema, key));
  return matchOn.flatMap((key, index) => {
    const column = columns[index];
    const matchPath = `${matchOnPath}.${String(index)}`;
    const value = `${row.path}.${key}`;
    if (!column) {
      const message = 'is not a column of this datagrid';
      problems.push({ field: matchPath, code: 'unknown_column', message });
    } else if (columns.indexOf(column) < index) {
      problems.push(repeatedColumn(matchPath));
    } else if (!column.unique) {
      problems.push({ field: matchPath, code: 'not_unique', message: 'must be a unique column' });
    } else if (!Object.hasOwn(bySlot, column.slot) && !rejectedFields.has(value)) {
      const message = 'must have a value, because rows are matched by this column';
      problems.push({ field: value, code: 'required', message });
    }
    return column ? [column] : [];
  });
}

/** Reads `{ matchOn, rows: [{ values }, …] }`. @throws AppError `invalid_request` */
export function readUpsertBody(body: unknown): Batch {
  const object = members(body, 'body');
  rejectOthers(object, ['matchOn', 'rows'], '');
  const matchOnPath = 'matchOn';
  const matchOn = readMatchOn(object['matchOn'], matchOnPath);
  return {
    isAtomic: true,
    isDryRun: false,
    list: 'rows',
    rejectsRepeats: true,
    operations: readRows(object['rows']).map((row, index) => {
      const path = `rows.${String(index)}`;
      return { op: 'upsert', path, row, matchOn, matchOnPath, ifRevision: undefined };
    }),
  };
}
