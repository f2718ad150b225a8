import { LRUCache } from 'lru-cache';

const MAX_DATAGRIDS = 5_000;
/** Number of pages of a datagrid whose starts are remembered. */
const MAX_STARTS = 16;

/**
 * A state of a datagrid. Its rows and columns are the same while all numbers are. After a failover that
 * lost writes, or a restored backup, revisions occur again, but with another time.
 */
export interface PageVersion {
  readonly schemaVersion: number;
  readonly revision: number;
  /** Time of the last write, in milliseconds since 1970; 0 if there was none. */
  readonly writtenAtMs: number;
  /** Whether the datagrid may have computed columns. Changes together with `schemaVersion`. */
  readonly hasComputed: boolean;
}

/** A page of a datagrid, as it was read. */
export interface ReadPage extends PageVersion {
  readonly offset: number;
  readonly count: number;
  /** Ids of its first and last row; `null` if the page is empty. */
  readonly firstId: number | null;
  readonly lastId: number | null;
}

/** Where a page starts. */
export interface PageStart extends PageVersion {
  /** The rows of the page have higher ids. */
  readonly afterId: number;
}

interface Remembered extends PageVersion {
  /** Whether two reads have seen this version. */
  readonly isStable: boolean;
  /** Ids before the first row, by offset. The oldest is first. */
  readonly afterIds: Map<number, number>;
}

/**
 * Remembers where pages of datagrids with deleted rows start. A page that was read also tells where the
 * next one starts. The starts hold for one version, which the statement that uses them compares, so a
 * missing or outdated entry only costs time. A datagrid that is written between any two reads is not
 * worth an attempt: starts are returned only once two reads have seen the same version.
 */
export class PageStarts {
  private readonly known = new LRUCache<string, Remembered>({ max: MAX_DATAGRIDS });

  /** @param key Account and datagrid. */
  find(key: string, offset: number): PageStart | undefined {
    const known = this.known.get(key);
    if (known?.isStable !== true) return undefined;
    const afterId = known.afterIds.get(offset);
    if (afterId === undefined) return undefined;
    const { schemaVersion, revision, writtenAtMs, hasComputed } = known;
    return { schemaVersion, revision, writtenAtMs, hasComputed, afterId };
  }

  note(key: string, page: ReadPage): void {
    const known = this.known.get(key);
    const isSame =
      known?.revision === page.revision &&
      known.schemaVersion === page.schemaVersion &&
      known.writtenAtMs === page.writtenAtMs;
    const afterIds = isSame ? known.afterIds : new Map<number, number>();
    const { schemaVersion, revision, writtenAtMs, hasComputed } = page;
    const { offset, count, firstId, lastId } = page;
    if (firstId !== null) remember(afterIds, offset, firstId - 1);
    if (lastId !== null) remember(afterIds, offset + count, lastId);
    const version = { schemaVersion, revision, writtenAtMs, hasComputed };
    this.known.set(key, { ...version, isStable: isSame, afterIds });
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
