import type { Call } from './loader';

/** A write, with the tags that tell whether it was made. */
export interface RandomWrite {
  readonly call: Call;
  readonly idempotencyKey: string | undefined;
  /**
   * Tags of rows that exist exactly once if the write was made or, if `isDeletion`, that no longer
   * exist.
   */
  readonly tags: readonly string[];
  readonly isDeletion: boolean;
}

/** Rows that exist before the first write. */
export interface Targets {
  /** Row that batches update without a change. */
  readonly largeRowId: number;
  /** Rows to be updated, each by one write. */
  readonly changedIds: readonly number[];
  /** Tags of rows to be deleted, each by one write. */
  readonly deletedTags: readonly string[];
}

type Values = Readonly<Record<string, string>>;

/** Writes of random kinds and sizes, reproducible by their seed. */
export class RandomWrites {
  private serial = 0;
  private readonly changedIds: number[];
  private readonly deletedTags: string[];

  constructor(
    private seed: number,
    private readonly path: string,
    private readonly targets: Targets,
  ) {
    this.changedIds = [...targets.changedIds];
    this.deletedTags = [...targets.deletedTags];
  }

  next(): RandomWrite {
    this.serial += 1;
    const tag = `w${String(this.serial)}`;
    const kinds = [
      () => this.create(tag),
      () => this.createList(tag),
      () => this.batch(tag),
      () => this.upsert(tag),
      () => this.patch(tag),
      () => this.deleteMatching(),
    ];
    const made = kinds[this.below(kinds.length)]?.() ?? this.create(tag);
    const idempotencyKey = this.below(3) === 0 ? undefined : `key of ${tag}`;
    const headers = {
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(this.below(4) === 0 && { prefer: 'return=minimal' }),
    };
    return { isDeletion: false, ...made, idempotencyKey, call: { ...made.call, headers } };
  }

  private create(tag: string): Pick<RandomWrite, 'call' | 'tags'> {
    const body = { values: this.values(tag, 300_000) };
    return { tags: [tag], call: { method: 'POST', path: this.path, body } };
  }

  private createList(tag: string): Pick<RandomWrite, 'call' | 'tags'> {
    const tags = this.tags(tag);
    const rows = tags.map((each) => ({ values: this.values(each, 60_000) }));
    return { tags, call: { method: 'POST', path: this.path, body: { rows } } };
  }

  /**
   * Creates rows, and adds so many updates without changes that the response may be too large.
   */
  private batch(tag: string): Pick<RandomWrite, 'call' | 'tags'> {
    const tags = this.tags(tag);
    const noOp = { op: 'update', id: this.targets.largeRowId, values: {} };
    const operations = [
      ...tags.map((each) => ({ op: 'create', values: this.values(each, 1_000) })),
      ...Array.from({ length: this.below(120) }, () => noOp),
    ];
    const body = { mode: this.below(2) === 0 ? 'atomic' : 'partial', operations };
    return { tags, call: { method: 'POST', path: `${this.path}/batch`, body } };
  }

  private upsert(tag: string): Pick<RandomWrite, 'call' | 'tags'> {
    const tags = this.tags(tag);
    const rows = tags.map((each) => ({ values: this.values(each, 60_000) }));
    return { tags, call: { method: 'PUT', path: this.path, body: { matchOn: ['sku'], rows } } };
  }

  private patch(tag: string): Pick<RandomWrite, 'call' | 'tags'> {
    const id = this.changedIds.pop();
    if (id === undefined) return this.create(tag);
    const call: Call = {
      method: 'PATCH',
      path: `${this.path}/${String(id)}`,
      body: { values: this.values(tag, 300_000) },
    };
    return { tags: [tag], call };
  }

  private deleteMatching(): Pick<RandomWrite, 'call' | 'tags' | 'isDeletion'> {
    const tag = this.deletedTags.pop();
    if (tag === undefined) return { ...this.create(`w${String(this.serial)}`), isDeletion: false };
    const body = { filter: { sku: tag } };
    return {
      tags: [tag],
      isDeletion: true,
      call: { method: 'POST', path: `${this.path}/delete`, body },
    };
  }

  private tags(tag: string): string[] {
    return Array.from({ length: 1 + this.below(12) }, (_, index) => `${tag}.${String(index)}`);
  }

  private values(tag: string, maxCharacters: number): Values {
    // Most values are small.
    const length = this.below(4) === 0 ? this.below(maxCharacters) : this.below(200);
    return { tag, sku: tag, note: 'x'.repeat(length) };
  }

  /** Returns an integer from 0 to `bound - 1` (mulberry32). */
  private below(bound: number): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }
}
