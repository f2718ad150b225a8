import { Injectable } from '@nestjs/common';
import { AppError, notFound, unavailable } from '../common/error/app-error';
import type { DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../platform/config/app-config';
import { DatabaseGate } from '../platform/database/database-gate';
import { QueryTimeoutError } from '../platform/database/query-pool';
import type { ChangePosition, ChangesPosition, RowsPosition, SeenRevision } from './change-cursor';
import {
  type ChangeEntry,
  ChangeRepository,
  type LogHead,
  type NamedRows,
  type SegmentItems,
} from './change.repository';
import { EntryPlan, isContinuous, joined, originText, positionAt } from './entry-plan';
import type { FeedStart, ReadPage, Separator } from './feed';

/** Number of attempts to read rows and columns of the same version. */
const MAX_ATTEMPTS = 5;

/** Share of the time of a query after which a page of large rows ends. The rest is for sending it. */
const TIME_SHARE = 1 / 2;
const TOO_SLOW =
  'Reading the rows of this page takes too long. Retry later, or with a smaller limit.';

/** A larger revision than any datagrid has. */
const MAX_REVISION = Number.MAX_SAFE_INTEGER;

type ChangePage = ReadPage<ChangePosition>;

/** Form of a page. */
export interface PageForm {
  /** Maximum number of rows. */
  readonly limit: number;
  readonly separator: Separator;
  /** Whether items say who made the change and when. */
  readonly hasOrigins: boolean;
}

/** The rows of a page, as they were printed. */
interface PrintedRows {
  readonly items: readonly SegmentItems[];
  readonly read: number;
  readonly seen: SeenRevision;
  readonly schemaVersion: number | null;
}

/** Reads pages of changes. A page reads its entries first, and then the rows that they name. */
@Injectable()
export class ChangePageService {
  constructor(
    private readonly config: AppConfig,
    private readonly repository: ChangeRepository,
    private readonly schemas: DatagridSchemaService,
    private readonly gate: DatabaseGate,
  ) {}

  /**
   * Reads the page after a position.
   * @throws AppError `not_found`; `cursor_expired` if changes after the position are missing;
   *   `rate_limited` or `unavailable`.
   */
  async read(
    accountId: string,
    datagridId: string,
    start: FeedStart<ChangePosition>,
    form: PageForm,
  ): Promise<ChangePage> {
    const target = { accountId, datagridId, ...form };
    if (start === 'all' || start === 'latest') return this.begin(target, start);
    return start.phase === 'rows' ? this.readRows(target, start) : this.readChanges(target, start);
  }

  private async begin(target: PageTarget, start: 'all' | 'latest'): Promise<ChangePage> {
    const { accountId, datagridId } = target;
    const head = requireFound(
      await this.gate.run(accountId, () => this.repository.findHead(accountId, datagridId, 0)),
    );
    const { revision, atMs, schemaVersion } = head;
    const seen = { revision, atMs };
    if (start === 'all') {
      const start = { phase: 'rows', revision, afterId: 0, seen, schemaVersion: null } as const;
      return this.readRows(target, start);
    }
    // Whoever begins here reads the columns afterwards.
    const position = { phase: 'changes', ...positionAt(revision), seen, schemaVersion } as const;
    return { items: '', count: 0, position, isUpToDate: true };
  }

  /** Reads the rows as they are. */
  private async readRows(target: PageTarget, start: RowsPosition): Promise<ChangePage> {
    const { schema, schemaVersion, printed } = await this.withSchema(target, start, false, () =>
      this.printRowsAfter(target, start),
    );
    const { limit, separator } = target;
    const { items, read, seen, ids } = printed;
    const texts = items.map(({ json }) => json).filter((json) => json !== '');
    if (schema) texts.unshift(schemaItem(schema, start.revision));
    const isLast = ids.length < limit && read >= ids.length;
    const position: ChangePosition = isLast
      ? { phase: 'changes', ...positionAt(start.revision), seen, schemaVersion }
      : { ...start, afterId: ids[read - 1] ?? start.afterId, seen, schemaVersion };
    return {
      items: joined(texts, separator),
      // Rows can have been deleted since their ids were read.
      count: items.reduce((sum, { count }) => sum + count, schema ? 1 : 0),
      position,
      isUpToDate: isLast && seen.revision === start.revision,
    };
  }

  private async printRowsAfter(
    target: PageTarget,
    start: RowsPosition,
  ): Promise<PrintedRows & { readonly ids: readonly number[] }> {
    const { accountId, datagridId, limit, separator } = target;
    const page = requireFound(
      await this.gate.run(accountId, () =>
        this.repository.readRowsAfter(accountId, datagridId, start, limit, separator),
      ),
    );
    requireSeen(start, page);
    const { ids, json, schemaVersion, revision, atMs } = page;
    if (json !== null) {
      const items = [{ segment: 0, json, count: ids.length }];
      return { items, read: ids.length, seen: { revision, atMs }, schemaVersion, ids };
    }
    const rows: NamedRows = {
      ids,
      segments: ids.map(() => 0),
      to: ids.map(() => MAX_REVISION),
      head: MAX_REVISION,
      origins: null,
    };
    return { ...(await this.printLarge(target, rows)), ids };
  }

  private async readChanges(target: PageTarget, start: ChangesPosition): Promise<ChangePage> {
    const { accountId, datagridId, limit, separator, hasOrigins } = target;
    const page = requireFound(
      await this.gate.run(accountId, () =>
        this.repository.listEntries(accountId, datagridId, start, limit, hasOrigins),
      ),
    );
    requireSeen(start, page);
    if (!isContinuous(start, page)) throw expired();
    const plan = new EntryPlan(start, page, limit);
    const { lastSchema } = plan;
    const { schema, schemaVersion, printed } = await this.withSchema(
      target,
      start,
      lastSchema !== undefined,
      () => this.printNamed(target, plan.rows, page),
    );
    const { items, read, seen } = printed;
    const { json, count } = plan.items(items, read, separator);
    const after = plan.positionAfter(read);
    const position = { phase: 'changes', ...after, seen, schemaVersion } as const;
    const isUpToDate = plan.isUpToDate(read);
    if (!schema) return { items: json, count, position, isUpToDate };
    const first = schemaItem(schema, (lastSchema ?? start).revision, lastSchema);
    const all = json === '' ? first : first + separator + json;
    return { items: all, count: count + 1, position, isUpToDate };
  }

  private async printNamed(
    target: PageTarget,
    rows: NamedRows,
    head: LogHead,
  ): Promise<PrintedRows> {
    const { accountId, datagridId, separator } = target;
    const { revision, atMs } = head;
    if (rows.ids.length === 0) {
      return { items: [], read: 0, seen: { revision, atMs }, schemaVersion: null };
    }
    const read = requireFound(
      await this.gate.run(accountId, () =>
        this.repository.readRows(accountId, datagridId, rows, separator),
      ),
    );
    if (!read.items) return this.printLarge(target, rows);
    const { items, schemaVersion } = read;
    const seen = { revision: read.revision, atMs: read.atMs };
    return { items, read: rows.ids.length, seen, schemaVersion };
  }

  private async printLarge(target: PageTarget, rows: NamedRows): Promise<PrintedRows> {
    const { accountId, datagridId, separator } = target;
    const { maxPageBytes, queryTimeoutMs } = this.config;
    const bounds = { maxBytes: maxPageBytes, maxMs: Math.floor(queryTimeoutMs * TIME_SHARE) };
    const found = await this.repository
      .readLargeRows(accountId, datagridId, rows, separator, bounds)
      .catch((error: unknown) => {
        throw error instanceof QueryTimeoutError ? unavailable(TOO_SLOW) : error;
      });
    const { items, read, revision, atMs, schemaVersion } = requireFound(found);
    return { items, read, seen: { revision, atMs }, schemaVersion };
  }

  /**
   * Prints rows. Also reads their columns if they have changed on this page, or the reader does not have
   * them yet: it would take values under new keys for those of other columns.
   * @returns columns for the page, and the version that the reader has after it.
   */
  private async withSchema<T extends PrintedRows>(
    { accountId, datagridId }: PageTarget,
    { schemaVersion: known }: ChangePosition,
    isChange: boolean,
    print: () => Promise<T>,
  ): Promise<{
    readonly schema: DatagridSchema | null;
    readonly schemaVersion: number | null;
    readonly printed: T;
  }> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const printed = await print();
      const version = printed.schemaVersion;
      if (!isChange && (version === null || version === known)) {
        return { schema: null, schemaVersion: known, printed };
      }
      const schema = await this.gate.run(accountId, () => this.schemas.get(accountId, datagridId));
      if (version === null || version === schema.version) {
        return { schema, schemaVersion: schema.version, printed };
      }
    }
    throw unavailable('The columns of this datagrid keep changing. Retry later.');
  }
}

/** A datagrid to read, with the form of the page. */
interface PageTarget extends PageForm {
  readonly accountId: string;
  readonly datagridId: string;
}

/** @throws AppError `not_found` if there is no value. */
function requireFound<T>(value: T | null): T {
  if (value === null) throw notFound('Datagrid');
  return value;
}

/**
 * Requires that the database still has the history that the reader has seen. After the restore of a
 * backup, a revision can be missing or belong to another write.
 */
function requireSeen({ seen }: ChangePosition, head: LogHead): void {
  if (head.revision < seen.revision || head.seenAtMs !== seen.atMs) throw expired();
}

function expired(): AppError {
  return new AppError(
    'cursor_expired',
    'The changes after this cursor are no longer available. Start over without a cursor.',
  );
}

/**
 * Prints a change of columns. It changes no value of a column that stays, also not if the type changes: `set`
 * items follow for rows whose values change.
 * @param change The change that led to these columns, if the page has it.
 */
function schemaItem({ columns }: DatagridSchema, revision: number, change?: ChangeEntry): string {
  const printed = [...columns.values()].map((column) => {
    const { id, key, title, type, required, unique, indexed, options } = column;
    return { id, key, title, type, required, unique, indexed, options };
  });
  const end = originText(change?.origin ?? null);
  return `{"op":"schema","revision":${String(revision)},"values":"kept","columns":${JSON.stringify(printed)}${end}}`;
}
