import { LAST_PART, type LogPosition } from './change-cursor';
import type {
  ChangeEntry,
  ChangeOrigin,
  LogPage,
  NamedRows,
  SegmentItems,
} from './change.repository';
import type { Separator } from './feed';

/** A position in the change log, without the revision that the reader has seen. */
type EntryPosition = Omit<LogPosition, 'seen'>;

/** Rows of one entry that a page contains. */
interface Step {
  readonly entry: ChangeEntry;
  /**
   * Number of the run of entries whose rows are printed together. A deletion begins a new one, because
   * its items come before the rows after them.
   */
  readonly segment: number;
  readonly ids: readonly number[];
  /** Number of rows of the entry that earlier pages contain. */
  readonly skipped: number;
}

/**
 * Returns whether entries continue at a position without a hole: each begins at the revision at
 * which the one before it ends, and the last one of the log ends at the head.
 */
export function isContinuous(position: EntryPosition, page: LogPage): boolean {
  const { entries, isComplete, revision: head } = page;
  if (position.offset > 0) {
    const [first] = entries;
    if (first?.revision !== position.revision || first.part !== position.part) return false;
  }
  let { revision } = position;
  for (const entry of entries) {
    const isSameWrite = entry.revision === revision;
    if (!isSameWrite && entry.revision - entry.revisions !== revision) return false;
    revision = entry.revision;
  }
  return isComplete ? revision === head : revision <= head;
}

/** The entries of a page, and the rows to read for it. */
export class EntryPlan {
  private readonly steps: readonly Step[];
  /** Position after all rows of the plan. */
  private readonly end: EntryPosition;
  /** The rows to read: for a row that several entries name, only the last of them. */
  readonly rows: NamedRows;
  /** Position after each of `rows`. */
  private readonly positions: readonly EntryPosition[];
  /** Number of the step of each of `rows`. */
  private readonly stepOf: readonly number[];
  private readonly isWhole: boolean;

  /** @param limit Maximum number of rows. */
  constructor(
    start: EntryPosition,
    private readonly page: LogPage,
    limit: number,
  ) {
    const steps: Step[] = [];
    let [left, end, segment] = [limit, start, 0];
    for (const entry of page.entries) {
      if (left === 0) break;
      if (entry.kind === 'delete') segment += 1;
      const skipped = steps.length === 0 ? start.offset : 0;
      const ids = idsOf(entry, skipped, left);
      steps.push({ entry, segment, ids, skipped });
      left -= ids.length;
      end = positionIn(entry, skipped + ids.length);
    }
    this.steps = steps;
    this.end = end;
    this.isWhole = page.isComplete && steps.length === page.entries.length && end.offset === 0;
    [this.rows, this.positions, this.stepOf] = this.namedRows();
  }

  /** The rows that the page names, each once, with the revision of its last entry. */
  get changedRows(): { readonly ids: readonly number[]; readonly revisions: readonly number[] } {
    const last = new Map<number, number>();
    for (const { entry, ids } of this.steps) for (const id of ids) last.set(id, entry.revision);
    return { ids: [...last.keys()], revisions: [...last.values()] };
  }

  /** The last change of columns of the page. */
  get lastSchema(): ChangeEntry | undefined {
    return this.steps.findLast(({ entry }) => entry.kind === 'schema')?.entry;
  }

  /**
   * Returns the deletions and rows of the page, in the order of the entries.
   * @param printed The rows that were read.
   * @param read Number of `rows` that were looked up. The page ends after them.
   */
  items(
    printed: readonly SegmentItems[],
    read: number,
    separator: Separator,
  ): { readonly json: string; readonly count: number } {
    const bySegment = new Map(printed.map((items) => [items.segment, items]));
    const isCut = read < this.rows.ids.length;
    const steps = isCut ? this.steps.slice(0, this.cutAt(read)) : this.steps;
    const texts: string[] = [];
    let count = 0;
    for (const { entry, segment, ids } of steps) {
      const { revision } = entry;
      const end = originText(entry.origin);
      if (entry.kind === 'delete' && ids.length > 0) {
        const own = ids.map(
          (id) => `{"op":"delete","id":${String(id)},"revision":${String(revision)}${end}}`,
        );
        texts.push(own.join(separator));
        count += ids.length;
      }
      const rows = bySegment.get(segment);
      if (rows) {
        texts.push(rows.json);
        count += rows.count;
        bySegment.delete(segment);
      }
    }
    return { json: joined(texts, separator), count };
  }

  /** Returns the position after the first `read` of `rows`. */
  positionAfter(read: number): EntryPosition {
    return read < this.rows.ids.length ? (this.positions[read - 1] ?? this.end) : this.end;
  }

  /** Returns whether the reader has read the whole log after the first `read` of `rows`. */
  isUpToDate(read: number): boolean {
    return this.isWhole && read >= this.rows.ids.length;
  }

  /** Returns the number of steps up to the one of the last row that was read. */
  private cutAt(read: number): number {
    return (this.stepOf[read - 1] ?? 0) + 1;
  }

  private namedRows(): [NamedRows, EntryPosition[], number[]] {
    const last = new Map<number, number>();
    for (const [index, { entry, ids }] of this.steps.entries()) {
      if (entry.kind !== 'delete') for (const id of ids) last.set(id, index);
    }
    const ids: number[] = [];
    const segments: number[] = [];
    const to: number[] = [];
    const stepOf: number[] = [];
    const origins: string[] = [];
    const positions: EntryPosition[] = [];
    for (const [index, { entry, segment, ids: own, skipped }] of this.steps.entries()) {
      if (entry.kind === 'delete') continue;
      const origin = originText(entry.origin);
      for (const [offset, id] of own.entries()) {
        if (last.get(id) !== index) continue;
        ids.push(id);
        segments.push(segment);
        to.push(entry.revision);
        stepOf.push(index);
        if (entry.origin) origins.push(origin);
        positions.push(positionIn(entry, skipped + offset + 1));
      }
    }
    const rows = { ids, segments, to };
    const { revision: head, entries: read } = this.page;
    const hasOrigins = read.some(({ origin }) => origin !== null);
    return [{ ...rows, head, origins: hasOrigins ? origins : null }, positions, stepOf];
  }
}

/** Returns the properties `changedAt` and `changedBy` of an item, as JSON text. */
export function originText(origin: ChangeOrigin | null): string {
  if (!origin) return '';
  const { atMs, userId, keyId } = origin;
  const by = userId === null ? null : { userId, keyId };
  return `,"changedAt":"${new Date(atMs).toISOString()}","changedBy":${JSON.stringify(by)}`;
}

/** Returns the ids of up to `max` rows of an entry after the skipped ones. */
function idsOf(entry: ChangeEntry, skipped: number, max: number): number[] {
  if (entry.rowIds) return entry.rowIds.slice(0, max);
  const count = Math.min(entry.rowCount - skipped, max);
  const first = (entry.firstId ?? 0) + skipped;
  return Array.from({ length: count }, (_, index) => first + index);
}

function positionIn({ revision, part, rowCount }: ChangeEntry, offset: number): EntryPosition {
  return { revision, part, offset: offset < rowCount ? offset : 0 };
}

/** Returns the position after all entries of a revision. */
export function positionAt(revision: number): EntryPosition {
  return { revision, part: LAST_PART, offset: 0 };
}

/** Like `texts.join(separator)`, without a copy of large texts. */
export function joined(texts: readonly string[], separator: string): string {
  const [first = '', ...others] = texts;
  return others.reduce((all, text) => all + separator + text, first);
}
