import type { ReadForm } from '../../support/change-reader';
import type { Call } from './loader';

/** Columns of the datagrid of `MixedWrites`. */
export const MIXED_COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
  { key: 'note', type: 'text' },
];

const FORMS: readonly ReadForm[] = ['pages', 'pages', 'waits', 'lines', 'events'];

/** Random writes of every kind to one datagrid, and random ways to read it. */
export class MixedWrites {
  private lastId = 1;

  /** @param path Path of the datagrid. */
  constructor(
    private readonly path: string,
    private seed: number,
  ) {}

  next(): Call {
    const rows = `${this.path}/rows`;
    const calls: (() => Call)[] = [
      () => ({ method: 'POST', path: rows, body: { values: this.values() } }),
      () => ({ method: 'POST', path: rows, body: { values: { n: this.below(9) } } }),
      () => ({ method: 'POST', path: rows, body: { rows: this.many(30, { n: this.below(9) }) } }),
      () => ({ method: 'PATCH', path: this.row(), body: { values: this.values() } }),
      () => ({ method: 'PUT', path: this.row(), body: { values: this.values() } }),
      () => ({ method: 'DELETE', path: this.row() }),
      () => ({ method: 'POST', path: `${rows}/batch`, body: this.batch() }),
      () => ({ method: 'PUT', path: rows, body: this.upsert() }),
      () => ({ method: 'POST', path: `${rows}/delete`, body: { filter: { n: this.below(9) } } }),
      () => this.columnWrite(),
    ];
    return calls[this.below(calls.length)]?.() ?? this.columnWrite();
  }

  /** Returns an integer from 0 to `bound - 1` (mulberry32). */
  below(bound: number): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  form(): ReadForm {
    return FORMS[this.below(FORMS.length)] ?? 'pages';
  }

  private columnWrite(): Call {
    const key = `extra${String(this.below(3))}`;
    const [path, column] = [`${this.path}/columns`, `${this.path}/columns/${key}`];
    const title = `Title ${String(this.below(99))}`;
    const calls: Call[] = [
      { method: 'POST', path, body: { key, type: 'text' } },
      { method: 'DELETE', path: column },
      { method: 'PATCH', path: `${path}/n`, body: { title } },
    ];
    return calls[this.below(calls.length)] ?? { method: 'DELETE', path: column };
  }

  /** Names a row that may exist: most of the later ones do. */
  private row(): string {
    return `${this.path}/rows/${String(this.id())}`;
  }

  private id(): number {
    this.lastId += this.below(3);
    return 1 + this.below(this.lastId);
  }

  private values(): object {
    const extra = this.below(3) === 0 ? { [`extra${String(this.below(3))}`]: 'e' } : {};
    const length = this.below(5) === 0 ? this.below(20_000) : this.below(50);
    return { sku: this.sku(), n: this.below(9), note: 'x'.repeat(length), ...extra };
  }

  private sku(): string {
    return `S-${String(this.below(200))}`;
  }

  private many(max: number, values: object): object[] {
    return Array.from({ length: 1 + this.below(max) }, () => ({ values }));
  }

  private upsert(): object {
    const skus = new Set(Array.from({ length: 10 }, () => this.sku()));
    const rows = [...skus].map((sku) => ({ values: { sku, n: this.below(9) } }));
    return { matchOn: ['sku'], rows };
  }

  private batch(): object {
    const operations = Array.from({ length: 1 + this.below(10) }, () => {
      const [id, values] = [this.id(), { n: this.below(9) }];
      const each = [
        { op: 'create', values },
        { op: 'update', id, values },
        { op: 'replace', id, values },
        { op: 'delete', id },
        { op: 'upsert', matchOn: ['sku'], values: { ...values, sku: this.sku() } },
      ];
      return each[this.below(each.length)];
    });
    return { mode: 'partial', operations };
  }
}
