import { Injectable } from '@nestjs/common';
import { AppError, type FieldError, invalidRequest } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import type { Writer } from '../../datagrids/change-log/change-log-sql';
import { ENDLESS_ROOM } from '../../datagrids/quota/row-quota';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import type { BatchState } from '../../rows/batch/batch-state';
import { BatchStateService } from '../../rows/batch/batch-state.service';
import { RowSetWrites } from '../../rows/write/row-set-write';
import { OperationRun, resultOf } from '../../rows/batch/operation-run';
import type { PreparedOperation } from '../../rows/batch/prepared-operation';
import type { LinkKey } from '../../rows/link/link-key';
import { CounterRepository } from '../../rows/write/counter.repository';
import type { RejectedLine } from '../job/import.entity';
import type { ImportRef, StepOutcome } from '../job/import.repository';
import type { StagedStep } from '../stage/line-stage.repository';
import { linesLost } from './insert-step';
import type { FoundKey } from './linked-key.repository';
import { type KeyedColumn, LinkedKeys, linksOf } from './linked-keys';
import type { MatchedRows } from '../progress/matched-rows';
import { StepRepository, type StagedLine } from './step.repository';

const PATH = 'values';

/** How lines are written. */
interface UpsertOptions {
  /** Columns by which lines match rows; none if each line creates a row. */
  readonly matchOn: readonly string[];
  readonly author: Writer;
  /** Columns of links to rows of the datagrid itself, with keys in place of ids. */
  readonly linkKeys: readonly LinkKey[];
  /** Rows of earlier steps that no later line may match; `null` if lines can match a row again. */
  readonly matched: MatchedRows | null;
}

interface LineOptions extends Omit<UpsertOptions, 'matched'> {
  readonly taken: Taken | null;
}

/**
 * Writes the lines of a step in the way that a batch runs its operations: in memory and in order,
 * each line seeing the results of the lines before it. The net changes are then written together. So
 * a line can link to the row of a line before it, wherever steps end.
 */
@Injectable()
export class UpsertStep {
  constructor(
    private readonly config: AppConfig,
    private readonly steps: StepRepository,
    private readonly counters: CounterRepository,
    private readonly batchStates: BatchStateService,
    private readonly sets: RowSetWrites,
    private readonly linkedKeys: LinkedKeys,
  ) {}

  async apply(
    schema: DatagridSchema,
    importRef: ImportRef,
    step: StagedStep,
    { matched, ...options }: UpsertOptions,
  ): Promise<StepOutcome> {
    const lines = await this.steps.listLines(importRef, step);
    if (lines.length !== step.rows) throw linesLost();
    return this.upsert(schema, lines, { ...options, taken: matched && new Taken(matched) });
  }

  /**
   * Upserts lines. If the rows that the lines match are too large together, upserts them in two
   * halves.
   */
  private async upsert(
    schema: DatagridSchema,
    lines: readonly StagedLine[],
    options: LineOptions,
  ): Promise<StepOutcome> {
    try {
      return await this.upsertTogether(schema, lines, options);
    } catch (error) {
      if (!isTooLarge(error) || lines.length < 2) throw error;
    }
    const half = Math.ceil(lines.length / 2);
    const first = await this.upsert(schema, lines.slice(0, half), options);
    const second = await this.upsert(schema, lines.slice(half), options);
    return {
      created: first.created + second.created,
      updated: first.updated + second.updated,
      unchanged: first.unchanged + second.unchanged,
      rejected: [...first.rejected, ...second.rejected],
      rowIds: [...first.rowIds, ...second.rowIds],
    };
  }

  private async upsertTogether(
    schema: DatagridSchema,
    lines: readonly StagedLine[],
    { matchOn, author, linkKeys, taken }: LineOptions,
  ): Promise<StepOutcome> {
    const counter = await this.counters.lock(schema);
    if (!counter) throw new Error('The columns cannot change under the lock.');
    const columns = [...schema.columns.values()].filter(({ key }) => matchOn.includes(key));
    const keyed = await this.linkedKeys.find(author.accountId, linkKeys, lines);
    const prepared = lines.map((line) => prepare(line, matchOn, columns, keyed));
    // The quota is checked for the whole step, which is rolled back if it exceeds the quota.
    const limits = { author, room: ENDLESS_ROOM };
    const opened = await this.batchStates.open(schema, counter, prepared, 'lines', limits);
    const { state, hashes, wrongLinks } = opened;
    const run = new OperationRun(schema, state, this.config.maxRowBytes);
    const counts = { created: 0, updated: 0, unchanged: 0 };
    const rejected: RejectedLine[] = [];
    const rowIds: number[] = [];
    prepared.forEach((operation, index) => {
      const own = hashes[index] ?? new Map<number, string>();
      const wrong = wrongLinks.get(index);
      const { line = 0, values = {} } = lines[index] ?? {};
      const details: FieldError[] = [];
      const links = linksOf(keyed, values, details, ({ target }, key) =>
        holderOf(state, target, key),
      );
      if (details.length > 0) {
        rejected.push({ line, details });
        return;
      }
      const result = resultOf(() => {
        if (wrong) throw wrong;
        for (const { id, key } of taken ? columns : []) {
          const holder = state.holder(id, own.get(id) ?? '');
          if (holder !== undefined && taken?.has(holder) === true) throw repeatedKey(key);
        }
        return run.apply(withLinks(operation, links), own);
      });
      if (!(result instanceof AppError)) {
        rowIds.push(result.id);
        taken?.add(result.id);
      }
      if (result instanceof AppError) {
        rejected.push({ line, details: detailsOf(result) });
      } else if (result.status !== 'deleted') {
        counts[result.status] += 1;
      }
    });
    const net = state.net();
    const held = { schema, author, counter, room: ENDLESS_ROOM, locks: null };
    if (net) await this.batchStates.write(this.sets.begin(held), net, author);
    return { ...counts, rejected, rowIds };
  }
}

/** Rows that earlier lines have matched or created: those of committed steps, and of this step. */
class Taken {
  private readonly ofStep = new Set<number>();

  constructor(private readonly committed: MatchedRows) {}

  has(id: number): boolean {
    return this.ofStep.has(id) || this.committed.has(id);
  }

  add(id: number): void {
    this.ofStep.add(id);
  }
}

function repeatedKey(key: string): AppError {
  const message = 'must be unique, but an earlier row has the same key';
  return invalidRequest([{ field: `${PATH}.${key}`, code: 'duplicate', message }]);
}

/**
 * Returns whether the error says that the lines need too much data in memory. Nothing was written
 * then.
 */
function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.details.some(({ code }) => code === 'too_large');
}

/** Prepares a line. Leaves out the keys of linked rows, which are found when the line is written. */
function prepare(
  { values }: StagedLine,
  matchOn: readonly string[],
  columns: readonly SchemaColumn[],
  keyed: readonly KeyedColumn[],
): PreparedOperation {
  const bySlot: Record<string, JsonValue> = {};
  const cleared: string[] = [];
  const withKeys = new Set(keyed.map(({ column }) => column.slot));
  for (const [slot, value] of Object.entries(values)) {
    if (value === null) cleared.push(slot);
    else if (!withKeys.has(slot)) bySlot[slot] = value;
  }
  const row = { values: bySlot, path: PATH };
  const unlocated = { path: '', matchOnPath: '', ifRevision: undefined };
  return {
    operation:
      matchOn.length === 0
        ? { op: 'create', row, path: '' }
        : { op: 'upsert', row, matchOn, ...unlocated },
    values: { bySlot, byKey: bySlot, cleared },
    json: '',
    matchOn: columns,
  };
}

function withLinks(
  prepared: PreparedOperation,
  links: Readonly<Record<string, JsonValue>>,
): PreparedOperation {
  const { values } = prepared;
  if (Object.keys(links).length === 0) return prepared;
  return { ...prepared, values: { ...values, bySlot: { ...values.bySlot, ...links } } };
}

/** Returns the row that has a key after the lines before: one of these lines, or a stored one. */
function holderOf(
  state: BatchState,
  column: SchemaColumn,
  { rowId, hash }: FoundKey,
): number | null {
  const holder = state.holder(column.id, hash);
  if (holder !== undefined || rowId === null) return holder ?? null;
  // A row in memory that had the key has another one by now.
  return state.find(rowId) ? null : rowId;
}

/** Returns the details of an error, with column keys as fields. */
function detailsOf({ details, message, code }: AppError): FieldError[] {
  if (details.length === 0) return [{ field: 'line', code, message }];
  return details.map(({ field, ...rest }) => {
    return { field: field.startsWith(`${PATH}.`) ? field.slice(PATH.length + 1) : 'line', ...rest };
  });
}
