import { readDryRun } from '../values/body-flag';
import { listOf, members, refused, refuseOthers, type Members } from '../values/body-members';
import { readValues } from '../values/row-body';
import { readMatchOn } from './match-on';
import type { Batch, Operation } from './operation';

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
  refuseOthers(object, ['mode', 'dryRun', 'operations'], '');
  const { mode, operations } = object;
  if (mode === undefined)
    throw refused('mode', 'required', 'is required; expected atomic or partial');
  if (mode !== 'atomic' && mode !== 'partial') {
    throw refused('mode', 'invalid_format', 'must be atomic or partial');
  }
  const list = listOf(operations, 'operations', MAX_OPERATIONS, 'operations');
  return {
    isAtomic: mode === 'atomic',
    isDryRun: readDryRun(object),
    list: 'operations',
    refusesRepeats: false,
    operations: list.map((each, index) => readOperation(each, `operations.${String(index)}`)),
  };
}

function readOperation(json: unknown, path: string): Operation {
  const object = members(json, path);
  const prefix = `${path}.`;
  const op = readOp(object['op'], `${prefix}op`);
  refuseOthers(object, MEMBERS[op], prefix);
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
    ? refused(field, 'required', `is required; expected one of: ${names}`)
    : refused(field, 'invalid_format', `must be one of ${names}`);
}

function wholeNumber(object: Members, name: string, prefix: string): number {
  const value = object[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw value === undefined
    ? refused(`${prefix}${name}`, 'required', 'is required')
    : refused(`${prefix}${name}`, 'wrong_type', 'must be an integer from 1');
}
