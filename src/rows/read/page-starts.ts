import { LRUCache } from 'lru-cache';

const MAX_DATAGRIDS = 20_000;
/** Number of pages of a datagrid whose starts are remembered. */
const MAX_STARTS = 8;

/** The columns of a datagrid, by their version. */
interface ColumnsVersion {
  readonly schemaVersion: number;
  /** Whether the datagrid may have computed columns. Changes together with `schemaVersion`. */
  readonly hasComputed: boolean;
}

/**
 * The last write of a datagrid. Its rows are the same while both numbers are. After a failover that lost
 * writes, or a restored backup, revisions occur again, but with another time.
 */
interface LastWrite {
  readonly revision: number;
  /** Milliseconds since 1970; 0 if there was none. */
  readonly writtenAtMs: number;
}

/** A page of a datagrid, as it was read. */
export interface ReadPage extends ColumnsVersion, LastWrite {
  readonly offset: number;
  readonly count: number;
  /** Ids of its first and last row; `null` if the page is empty. */
  readonly firstId: number | null;
  readonly lastId: number | null;
}

/** Where a page starts. */
export interface PageStart extends ColumnsVersion {
  /** The rows of the page have higher ids. */
  readonly afterId: number;
  /** Write after which this holds; `null` if it holds while no row is missing. */
  readonly write: LastWrite | null;
}

interface Gapless extends ColumnsVersion {
  readonly write: null;
}

interface WithGaps extends ColumnsVersion {
  readonly write: LastWrite;
  /** Whether two reads have seen this write. */
  readonly isStable: boolean;
  /** Ids before the first row, by offset. The oldest is first. */
  readonly afterIds: Map<number, number>;
}

/**
 * Remembers where pages of datagrids start. In a datagrid that has never lost a row, the id of a row is its
 * position. Of others, a page that was read also tells where the next one starts. That holds for one
 * version, which the statement that uses it compares, so a missing or outdated entry only costs time. A
 * datagrid that is written between any two reads is not worth an attempt: starts are returned only once two
 * reads have seen the same write.
 */
export class PageStarts {
  private readonly known = new LRUCache<string, Gapless | WithGaps>({ max: MAX_DATAGRIDS });

  /** @param key Account and datagrid. */
  find(key: string, offset: number): PageStart | undefined {
    const known = this.known.get(key);
    if (!known) return undefined;
    const { schemaVersion, hasComputed, write } = known;
    if (known.write === null) return { schemaVersion, hasComputed, write, afterId: offset };
    const afterId = known.isStable ? known.afterIds.get(offset) : undefined;
    return afterId === undefined ? undefined : { schemaVersion, hasComputed, write, afterId };
  }

  /** Notes that the datagrid has never lost a row. */
  noteGapless(key: string, { schemaVersion, hasComputed }: ColumnsVersion): void {
    this.known.set(key, { schemaVersion, hasComputed, write: null });
  }

  /** Notes a page of a datagrid that has lost rows. */
  note(key: string, page: ReadPage): void {
    const { schemaVersion, hasComputed, revision, writtenAtMs } = page;
    const { offset, count, firstId, lastId } = page;
    const known = this.known.get(key);
    const isSame =
      known !== undefined &&
      known.write !== null &&
      known.write.revision === revision &&
      known.write.writtenAtMs === writtenAtMs &&
      known.schemaVersion === schemaVersion;
    const afterIds = isSame ? known.afterIds : new Map<number, number>();
    if (firstId !== null) remember(afterIds, offset, firstId - 1);
    if (lastId !== null) remember(afterIds, offset + count, lastId);
    const write = { revision, writtenAtMs };
    this.known.set(key, { schemaVersion, hasComputed, write, isStable: isSame, afterIds });
  }

  /** Forgets a datagrid whose version is no longer the one remembered. */
  forget(key: string): void {
    this.known.delete(key);
  }
}

function remember(afterIds: Map<number, number>, offset: number, afterId: number): void {
  // Offsets that are used stay: they become the newest.
  afterIds.delete(offset);
  afterIds.set(offset, afterId);
  const [oldest] = afterIds.keys();
  if (afterIds.size > MAX_STARTS && oldest !== undefined) afterIds.delete(oldest);
}
