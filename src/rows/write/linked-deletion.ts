import { Injectable } from '@nestjs/common';
import { AppError, conflict, type FieldError, unavailable } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import type { Author } from '../../datagrids/change-log/change-log-sql';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { CounterRepository, type LockedCounter, type RowWrite } from './counter.repository';
import { RowChangeRepository } from './row-change.repository';
import { RowDeleteRepository } from './row-delete.repository';
import { LinkEntryRepository, type RowLink } from '../link/link-entry.repository';

/** Maximum number of datagrids whose rows a deletion can change, which bounds the locks. */
const MAX_SOURCES = 100;
/** Maximum number of links to deleted rows, which bounds the time under the locks. */
const MAX_LINKS = 10_000;
/** Maximum number of rows that one request deletes from a datagrid that others link to. */
const MAX_DELETED = 100_000;
/** Number of deleted rows whose links one statement finds. */
const STEP_ROWS = 5_000;
/**
 * Maximum number of statements that find links, which bounds the time under the locks. A chain of rows
 * that are deleted one after the other takes one for each row and each datagrid with links.
 */
const MAX_LOOKUPS = 10_000;
/** Maximum number of links that an error names. */
const MAX_NAMED = 10;

/** A datagrid with links to rows that can be deleted. */
interface Source {
  readonly datagridId: string;
  /** `null` if the datagrid is in the trash. Its links restrict deletions. */
  readonly schema: DatagridSchema | null;
  readonly counter: LockedCounter | null;
}

/** The locks of a deletion. */
export interface DeletionLocks<T> {
  /** Result of the lock of the datagrid of the deletion. */
  readonly own: T;
  readonly sources: readonly Source[];
}

/** Rows to delete, by their links. */
interface Plan {
  /** Rows to delete, by the id of their datagrid. */
  readonly deleted: Map<string, Set<number>>;
  /** Links to clear, by the id of the datagrid that has them. */
  readonly cleared: Map<string, RowLink[]>;
  readonly restricting: { readonly source: Source; readonly link: RowLink }[];
  /** Number of statements that found links. */
  lookups: number;
}

/** A row of which links are cleared. */
interface ClearedRow {
  /** Links that are left, by slot. */
  readonly values: Record<string, JsonValue>;
  /** Slots without links that are left. */
  readonly cleared: string[];
}

/**
 * Deletes rows that other rows link to. A write that sets links holds the lock of its own datagrid
 * only, and checks that the linked rows exist. So a deletion holds the locks of all datagrids with
 * links to its rows. It takes them in the order of their ids, so that deletions do not deadlock.
 */
@Injectable()
export class LinkedDeletion {
  constructor(
    private readonly schemas: DatagridSchemaService,
    private readonly counters: CounterRepository,
    private readonly links: LinkEntryRepository,
    private readonly changes: RowChangeRepository,
    private readonly deletes: RowDeleteRepository,
  ) {}

  /**
   * Takes the locks for a deletion of rows. Costs nothing if no datagrid links to this one.
   * @param own Takes the lock of the datagrid; returns `null` if its columns have changed. It can raise
   *   the revision: it is called last, when nothing can fail anymore.
   * @returns `null` if the columns of one of the datagrids have changed. The caller then retries.
   * @throws AppError `conflict` if too many datagrids are involved.
   */
  async lock<T>(
    accountId: string,
    schema: DatagridSchema,
    own: () => Promise<T | null>,
  ): Promise<DeletionLocks<T> | null> {
    const found = await this.findSources(accountId, schema);
    const sources: Source[] = [];
    // Without sources, `own` takes the only lock.
    for (const datagridId of found.size === 0 ? [] : lockOrder(schema, found)) {
      const source = datagridId === schema.datagridId ? schema : found.get(datagridId);
      if (source) {
        const counter = await this.counters.lock(source);
        if (!counter) return null;
        if (source !== schema) sources.push({ datagridId, schema: source, counter });
      } else {
        await this.counters.hold(datagridId);
        if (await this.links.isOutsideTrash(datagridId)) return null;
        sources.push({ datagridId, schema: null, counter: null });
      }
    }
    const locked = await own();
    return locked === null ? null : { own: locked, sources };
  }

  /**
   * Takes all locks of a deletion in their order, whatever the columns are, for the last attempt of a
   * write. `lock` then takes only locks that are held.
   * @throws AppError `not_found`; `unavailable` if other datagrids have linked to the rows meanwhile.
   */
  async hold(accountId: string, datagridId: string): Promise<void> {
    const schema = await this.schemas.get(accountId, datagridId);
    const found = await this.findSources(accountId, schema);
    for (const id of lockOrder(schema, found)) await this.counters.hold(id);
    const now = await this.schemas.get(accountId, datagridId);
    const sources = await this.findSources(accountId, now);
    if ([...sources.keys()].some((id) => !found.has(id))) {
      throw unavailable('The columns of this datagrid keep changing. Retry later.');
    }
  }

  /**
   * Clears the links to rows, and deletes the rows with links, in the order of their columns'
   * `onDelete`. Call it after the revision has been raised, before the rows are deleted.
   * @param part Number of the next change among those of the write.
   * @returns all rows of the datagrid that are to be deleted, and the next part.
   * @throws AppError `conflict` if rows restrict the deletion, or too many rows link to the rows.
   *   Nothing is changed then.
   */
  async prepare(
    { sources }: DeletionLocks<unknown>,
    schema: DatagridSchema,
    ids: readonly number[],
    write: RowWrite,
    part = 0,
  ): Promise<{ readonly ids: readonly number[]; readonly part: number }> {
    const { datagridId, linkedBy } = schema;
    if (linkedBy.length === 0 || ids.length === 0) return { ids, part };
    if (ids.length > MAX_DELETED) throw tooManyRows(ids.length);
    const self: Source = { datagridId, schema, counter: null };
    const plan = await this.plan([self, ...sources], datagridId, ids);
    rejectRestricted(plan, write.author);
    for (const source of sources) await this.apply(source, write.author, plan);
    const own = plan.deleted.get(datagridId) ?? new Set(ids);
    const isCleared = await this.clear(schema, plan, write, part);
    return { ids: [...own], part: isCleared ? part + 1 : part };
  }

  /** Returns the datagrids by whose links rows are found; `null` for those in the trash. */
  private async findSources(
    accountId: string,
    schema: DatagridSchema,
  ): Promise<Map<string, DatagridSchema | null>> {
    const found = new Map<string, DatagridSchema | null>();
    const targets = [schema];
    for (const target of targets) {
      for (const id of target.linkedBy) {
        if (id === schema.datagridId) continue;
        // A datagrid can link to several of the targets, and cascade the deletions of only some.
        const known = found.get(id);
        const source = known === undefined ? await this.findSchema(accountId, id) : known;
        const links = source?.links.filter(
          ({ options }) => options.datagridId === target.datagridId,
        );
        if (links?.length === 0) continue;
        found.set(id, source);
        if (found.size > MAX_SOURCES) throw tooManySources();
        const cascades = links?.some(({ options }) => options.onDelete === 'cascade') ?? false;
        if (source && cascades && !targets.includes(source)) targets.push(source);
      }
    }
    return found;
  }

  private async findSchema(accountId: string, id: string): Promise<DatagridSchema | null> {
    try {
      return await this.schemas.get(accountId, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }

  private async plan(
    sources: readonly Source[],
    datagridId: string,
    ids: readonly number[],
  ): Promise<Plan> {
    const plan: Plan = {
      deleted: new Map([[datagridId, new Set(ids)]]),
      cleared: new Map(),
      restricting: [],
      lookups: 0,
    };
    const targets = [{ datagridId, ids }];
    let count = 0;
    for (const target of targets) {
      for (const source of sources) {
        for await (const links of this.listLinks(source, target, plan)) {
          count += links.length;
          if (count > MAX_LINKS) throw tooManyLinks();
          const added = addTo(plan, source, links);
          if (added.length > 0) targets.push({ datagridId: source.datagridId, ids: added });
        }
      }
    }
    return plan;
  }

  private async *listLinks(
    { datagridId, schema }: Source,
    target: { readonly datagridId: string; readonly ids: readonly number[] },
    plan: Plan,
  ): AsyncGenerator<RowLink[]> {
    const columnIds = schema
      ? schema.links
          .filter(({ options }) => options.datagridId === target.datagridId)
          .map(({ id }) => id)
      : await this.links.listColumns(datagridId, target.datagridId);
    if (columnIds.length === 0) return;
    for (let start = 0; start < target.ids.length; start += STEP_ROWS) {
      const ids = target.ids.slice(start, start + STEP_ROWS);
      plan.lookups += 1;
      if (plan.lookups > MAX_LOOKUPS) throw tooDeep();
      yield await this.links.list(datagridId, columnIds, ids, MAX_LINKS + 1);
    }
  }

  /** Changes and deletes the rows of a datagrid as one write. */
  private async apply(
    { datagridId, schema, counter }: Source,
    author: Author,
    plan: Plan,
  ): Promise<void> {
    const deleted = [...(plan.deleted.get(datagridId) ?? [])];
    if (!schema || !counter || (deleted.length === 0 && !plan.cleared.has(datagridId))) return;
    const write = { revision: counter.revision + 1, at: counter.at, author };
    await this.counters.raise(schema, counter);
    const isCleared = await this.clear(schema, plan, write, 0);
    if (deleted.length > 0) {
      await this.deletes.delete(schema, deleted, write, isCleared ? 1 : 0);
    }
  }

  /** Clears links of rows that are not deleted. @returns whether there were any. */
  private async clear(
    schema: DatagridSchema,
    plan: Plan,
    write: RowWrite,
    part: number,
  ): Promise<boolean> {
    const { datagridId } = schema;
    const deleted = plan.deleted.get(datagridId);
    const cleared = plan.cleared.get(datagridId) ?? [];
    const links = cleared.filter(({ rowId }) => deleted?.has(rowId) !== true);
    if (links.length === 0) return false;
    const slots = new Map(schema.links.map(({ id, slot }) => [id, slot]));
    const gone = new Set(
      links.map(({ rowId, columnId, targetId }) =>
        [rowId, slots.get(columnId), targetId].join(' '),
      ),
    );
    const rowIds = [...new Set(links.map(({ rowId }) => rowId))];
    const used = new Set(links.map(({ columnId }) => slots.get(columnId) ?? ''));
    const rows = new Map<number, ClearedRow>(rowIds.map((id) => [id, { values: {}, cleared: [] }]));
    for (const { id, slot, value } of await this.links.listValues(datagridId, rowIds, [...used])) {
      const ids = (Array.isArray(value) ? value : [value]) as readonly JsonValue[];
      const left = ids.filter((each) => !gone.has([id, slot, JSON.stringify(each)].join(' ')));
      const row = rows.get(id);
      if (left.length === 0) row?.cleared.push(slot);
      else if (row && left.length < ids.length) row.values[slot] = left;
    }
    const changes = [...rows].map(([id, row]) => {
      return { id, json: JSON.stringify(row.values), cleared: row.cleared, replaces: false };
    });
    await this.changes.changeMany(schema, write, part, changes, used);
    return true;
  }
}

/** Returns the ids of the datagrids that a deletion locks, in the order of the locks. */
function lockOrder(
  { datagridId }: DatagridSchema,
  sources: ReadonlyMap<string, DatagridSchema | null>,
): string[] {
  return [...sources.keys(), datagridId].sort();
}

/** Adds links to a plan. @returns the rows that are deleted because of them. */
function addTo(plan: Plan, source: Source, links: readonly RowLink[]): number[] {
  const { datagridId, schema } = source;
  const policies = new Map(schema?.links.map(({ id, options }) => [id, options.onDelete]));
  const deleted = plan.deleted.get(datagridId) ?? new Set<number>();
  const cleared = plan.cleared.get(datagridId) ?? [];
  const added: number[] = [];
  for (const link of links) {
    const policy = policies.get(link.columnId) ?? 'restrict';
    if (policy === 'restrict') plan.restricting.push({ source, link });
    if (policy === 'clear') cleared.push(link);
    if (policy === 'cascade' && !deleted.has(link.rowId)) {
      deleted.add(link.rowId);
      added.push(link.rowId);
    }
  }
  if (deleted.size > 0) plan.deleted.set(datagridId, deleted);
  if (cleared.length > 0) plan.cleared.set(datagridId, cleared);
  return added;
}

/** @throws AppError `conflict` if rows that are not deleted restrict a deletion. */
function rejectRestricted({ restricting, deleted }: Plan, { onlyDatagridIds }: Author): void {
  const left = restricting.filter(
    ({ source, link }) => deleted.get(source.datagridId)?.has(link.rowId) !== true,
  );
  if (left.length === 0) return;
  const problems = left.map(({ source, link }): FieldError => {
    const { schema, datagridId } = source;
    const key = schema?.links.find(({ id }) => id === link.columnId)?.key ?? '';
    const isKnown = !onlyDatagridIds || onlyDatagridIds.includes(datagridId);
    const message = !isKnown
      ? 'a row of another datagrid links to it'
      : schema
        ? `row ${String(link.rowId)} of datagrid ${datagridId} links to it in column ${key}`
        : `row ${String(link.rowId)} of datagrid ${datagridId}, which is in the trash, links to it`;
    return { field: `rows.${String(link.targetId)}`, code: 'conflicting_rows', message };
  });
  // A key that has no access to datagrids does not learn how many of their rows link to a row.
  const unique = new Map(problems.map((each) => [`${each.field} ${each.message}`, each]));
  const details = [...unique.values()].slice(0, MAX_NAMED);
  const message =
    unique.size === 1
      ? '1 link to these rows restricts their deletion.'
      : `${String(unique.size)} links to these rows restrict their deletion.`;
  throw conflict(message, details);
}

function tooManySources(): AppError {
  return conflict(`More than ${String(MAX_SOURCES)} datagrids link to these rows.`);
}

function tooManyLinks(): AppError {
  const max = MAX_LINKS.toLocaleString('en-US');
  return conflict(
    `More than ${max} links lead to these rows. Delete fewer rows, or clear links first.`,
  );
}

function tooDeep(): AppError {
  return conflict(
    'The chains of rows that link to these rows are too long. Delete the rows at their ends first.',
  );
}

function tooManyRows(count: number): AppError {
  const [rows, max] = [count, MAX_DELETED].map((n) => n.toLocaleString('en-US'));
  return conflict(
    `Other datagrids link to this one, so at most ${String(max)} rows can be deleted at once, not ${String(rows)}.`,
  );
}
