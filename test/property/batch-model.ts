/** A plain list of rows as a model for batches. `sku` and `code` are unique, `name` is required. */
export interface Model {
  readonly rows: ReadonlyMap<number, ModelRow>;
  readonly nextId: number;
}

export interface ModelRow {
  readonly values: Values;
  readonly revision: number;
}

export type Values = Readonly<Record<string, unknown>>;

export interface ModelOperation {
  readonly op: 'create' | 'update' | 'replace' | 'delete' | 'upsert';
  readonly id?: number;
  readonly values?: Values;
  readonly matchOn?: readonly string[];
  readonly ifRevision?: number;
}

/** The model after the operation, its status and the row id; or an error code. */
export type Outcome = [Model, string, number] | string;

const UNIQUE = ['sku', 'code'];

const withoutNull = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

function sameValue(key: string, a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return false;
  return key === 'code' ? Number(a) === Number(b) : a === b;
}

export function applied(model: Model, operation: ModelOperation, revision: number): Outcome {
  const { op, id, values = {}, matchOn = [], ifRevision } = operation;
  const isGiven = (key: string): boolean => (values[key] ?? null) !== null;
  if ((op === 'create' || op === 'replace') && !isGiven('name')) return 'invalid_request';
  if (values['name'] === null) return 'invalid_request';
  if (op === 'upsert' && !matchOn.every(isGiven)) return 'invalid_request';
  let target = id;
  if (op === 'upsert') {
    const hits = matchOn.map(
      (key) => [...model.rows].find(([, row]) => sameValue(key, row.values[key], values[key]))?.[0],
    );
    if (new Set(hits).size > 1) return 'conflict';
    target = hits[0];
  }
  if (op === 'create' || target === undefined) {
    if (!isGiven('name')) return 'invalid_request';
    return written(model, model.nextId, withoutNull(values), revision, 'created');
  }
  const row = model.rows.get(target);
  if (!row) return 'not_found';
  if (ifRevision !== undefined && ifRevision !== row.revision) return 'precondition_failed';
  if (op === 'delete') {
    const rows = new Map(model.rows);
    rows.delete(target);
    return [{ ...model, rows }, 'deleted', target];
  }
  const after = withoutNull(op === 'replace' ? values : { ...row.values, ...values });
  const isSame = [...new Set([...Object.keys(after), ...Object.keys(row.values)])].every(
    (key) => after[key] === row.values[key],
  );
  if (isSame) return [model, 'unchanged', target];
  return written(model, target, after, revision, 'updated');
}

function written(
  model: Model,
  id: number,
  values: Values,
  revision: number,
  status: string,
): Outcome {
  const isTaken = UNIQUE.some((key) =>
    [...model.rows].some(
      ([otherId, other]) => otherId !== id && sameValue(key, other.values[key], values[key]),
    ),
  );
  if (isTaken) return 'conflict';
  const rows = new Map(model.rows).set(id, { values, revision });
  return [{ rows, nextId: Math.max(model.nextId, id + 1) }, status, id];
}
