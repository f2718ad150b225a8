import fc from 'fast-check';
import type { ApiClient, Json } from '../../support/api-client';

const KEYS = ['a', 'b', 'c', 'd'] as const;
const TYPES = ['text', 'integer', 'boolean', 'json', 'decimal'] as const;
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  text: ['1', 'true', '2.50', 'é\u2028"', '', null],
  integer: [0, 1, -7, 9_007_199_254_740_991, null],
  boolean: [true, false, null],
  json: [1, [1, 'x'], { a: null }, 'y'.repeat(3_000), null],
  decimal: ['1', '2.50', null],
};

const KINDS = [
  'createRows',
  'createRows',
  'updateRow',
  'updateRow',
  'replaceRow',
  'deleteRow',
  'restoreRow',
  'addColumn',
  'addColumn',
  'renameColumn',
  'renameColumn',
  'removeColumn',
  'removeColumn',
  'restoreColumn',
  'restoreColumn',
  'retypeColumn',
  'releaseKeys',
  'releaseKeys',
  'swapKeys',
] as const;
export type Kind = (typeof KINDS)[number];

export const ALL_KINDS: readonly Kind[] = [...new Set(KINDS)];

/** A change of a datagrid. The numbers choose among what it has when the change is made. */
export interface Step {
  readonly kind: Kind;
  readonly at: number;
  readonly other: number;
}

/** What happens when the copier sends its next request. */
export interface Request {
  /** Steps that are made before the request is passed on. */
  readonly before: number;
  /** Steps that are made after this many bytes of the response. */
  readonly during: number;
  readonly bytes: number;
  readonly fault: 'none' | 'kill' | 'break' | 'expire';
}

export interface History {
  readonly rows: number;
  readonly steps: readonly Step[];
  readonly requests: readonly Request[];
  readonly form: 'pages' | 'lines';
  readonly limit: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat({ max: 999 }),
  other: fc.nat({ max: 999 }),
});

const request: fc.Arbitrary<Request> = fc.record({
  before: fc.integer({ min: 0, max: 4 }),
  during: fc.integer({ min: 0, max: 2 }),
  bytes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_000 }), fc.constant(Infinity)),
  fault: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Request['fault']>('none') },
    { weight: 4, arbitrary: fc.constant<Request['fault']>('kill') },
    { weight: 2, arbitrary: fc.constant<Request['fault']>('break') },
    { weight: 1, arbitrary: fc.constant<Request['fault']>('expire') },
  ),
});

export const anyHistory: fc.Arbitrary<History> = fc.record({
  rows: fc.integer({ min: 0, max: 25 }),
  steps: fc.array(step, { minLength: 15, maxLength: 45, size: 'max' }),
  requests: fc.array(request, { minLength: 5, maxLength: 20, size: 'max' }),
  form: fc.constantFrom('pages', 'pages', 'lines'),
  limit: fc.integer({ min: 1, max: 8 }),
});

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];

/** Makes the changes of a history to a datagrid, one after another. */
export class Writer {
  /** Numbers of changes that the service accepted. */
  static readonly accepted = new Map<Kind, number>();

  constructor(
    private readonly api: ApiClient,
    private readonly path: string,
    private readonly steps: Step[],
  ) {}

  get isDone(): boolean {
    return this.steps.length === 0;
  }

  async make(count: number): Promise<void> {
    for (const next of this.steps.splice(0, count)) {
      const status = await this.makeOne(next);
      // The service may reject what does not fit its state by then, or has no room on a busy machine.
      if (status >= 500 && status !== 503)
        throw new Error(`${JSON.stringify(next)} returned ${String(status)}`);
      if (status > 0 && status < 300) {
        Writer.accepted.set(next.kind, (Writer.accepted.get(next.kind) ?? 0) + 1);
      }
    }
  }

  /** Creates rows with random values. */
  async createRows(count: number, seed: number): Promise<number> {
    const columns = await this.columns();
    const rows = Array.from({ length: count }, (_, at) => ({
      values: valuesOf(columns, seed + at * 7),
    }));
    return (await this.api.post(`${this.path}/rows`, { rows })).status;
  }

  /** @returns the status of the last response; 0 if the datagrid has nothing to change. */
  private async makeOne({ kind, at, other }: Step): Promise<number> {
    if (kind === 'createRows') return this.createRows(1 + (other % 4), at);
    if (kind === 'addColumn') {
      const body = { key: pick(KEYS, at), type: pick(TYPES, other) };
      return (await this.api.post(`${this.path}/columns`, body)).status;
    }
    if (kind === 'restoreColumn') return this.restoreColumn(at, other);
    return kind.endsWith('Row')
      ? this.changeRow(kind, at, other)
      : this.changeColumn(kind, at, other);
  }

  private async changeRow(kind: Kind, at: number, other: number): Promise<number> {
    if (kind === 'restoreRow') {
      const { data } = (await this.api.get(`${this.path}/trash/rows?limit=200`)).body;
      const id = pick<Json>(data as Json[], at)?.id;
      if (id === undefined) return 0;
      return (await this.api.post(`${this.path}/trash/rows/restore`, { ids: [id] })).status;
    }
    const { data } = (await this.api.get(`${this.path}/rows?limit=200`)).body;
    const id = pick<Json>(data as Json[], at)?.id;
    if (id === undefined) return 0;
    const path = `${this.path}/rows/${String(id)}`;
    if (kind === 'deleteRow') return (await this.api.delete(path)).status;
    const values = valuesOf(await this.columns(), other);
    const method = kind === 'updateRow' ? 'PATCH' : 'PUT';
    return (await this.api.send(method, path, { values })).status;
  }

  private async changeColumn(kind: Kind, at: number, other: number): Promise<number> {
    const all = await this.columns();
    const columns =
      kind === 'releaseKeys' ? all.filter(({ previousKeys = [] }) => previousKeys.length > 0) : all;
    const column = pick(columns, at);
    if (!column) return 0;
    const path = `${this.path}/columns/${column.key}`;
    const patch = async (key: string, body: object): Promise<number> =>
      (await this.api.patch(`${this.path}/columns/${key}`, body)).status;
    if (kind === 'removeColumn') return (await this.api.delete(path)).status;
    if (kind === 'renameColumn') return patch(column.key, { key: pick(KEYS, other) });
    if (kind === 'retypeColumn') {
      return patch(column.key, { type: pick(TYPES, other), convert: true });
    }
    if (kind === 'releaseKeys') {
      const releaseKeys = column.previousKeys?.map(({ key }) => key);
      return patch(column.key, { releaseKeys });
    }
    // Two columns change their keys with one another.
    const second = pick(columns, at + 1 + other);
    if (!second || second === column) return 0;
    await patch(column.key, { key: 'between' });
    await patch('between', { releaseKeys: [column.key] });
    await patch(second.key, { key: column.key });
    await patch(column.key, { releaseKeys: [second.key] });
    const status = await patch('between', { key: second.key });
    await patch(second.key, { releaseKeys: ['between'] });
    return status;
  }

  private async restoreColumn(at: number, other: number): Promise<number> {
    const removed = (await this.read(`${this.path}/trash/columns`)) as Json[] | undefined;
    const id = pick(removed ?? [], at)?.id;
    if (id === undefined) return 0;
    const key = other % 2 === 0 ? {} : { key: pick(KEYS, other) };
    return (await this.api.post(`${this.path}/trash/columns/restore`, { id, ...key })).status;
  }

  private async columns(): Promise<Column[]> {
    return ((await this.read(this.path))?.columns as Column[] | undefined) ?? [];
  }

  /** Returns what is at a path; undefined if the service has no room on a busy machine. */
  private async read(path: string): Promise<Json> {
    const { status, body } = await this.api.get(path);
    return status === 503 ? undefined : body.data;
  }
}

interface Column {
  readonly key: string;
  readonly type: string;
  readonly previousKeys?: readonly { readonly key: string }[];
}

function valuesOf(columns: readonly Column[], seed: number): Record<string, unknown> {
  const entries = columns.flatMap(({ key, type }, at) => {
    const values = VALUES[type] ?? [null];
    // Some columns have no value.
    return (seed + at) % 5 === 0 ? [] : [[key, pick(values, seed + at * 3)]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
