import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError, conflict } from '../../common/error/app-error';
import type { Author } from '../../datagrids/change-log/change-log-sql';
import {
  type ColumnType,
  type TypeRules,
  valueCheckFor,
  valueShapeFor,
} from '../../datagrids/column-type/column-type';
import type { ValueCheck } from '../../datagrids/column-type/descriptor';
import {
  ColumnContents,
  type ColumnHooks,
  type ConflictingRows,
  type ConversionPreview,
  type StoredColumn,
  type ValueRule,
} from '../../datagrids/column/column-contents';
import { AppConfig } from '../../platform/config/app-config';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { type Batch, UniqueClaimRepository } from './unique-claim.repository';
import { MAX_EXAMPLES, RepeatedValueRepository } from './repeated-value.repository';
import { ConvertibleValueRepository } from './convertible-value.repository';
import { ReadOnlyColumnRepository } from './read-only-column.repository';
import { RowBatches } from './row-batches';
import { RowConversion } from './row-conversion';
import { StoredValueRepository, type StoredValue } from './stored-value.repository';
import { ValueLogRepository } from './value-log.repository';

/** Time limit of `findRejected`, whose caller waits for it: enough for some millions of rows. */
const MAX_LOOKING_MS = 10_000;

/** Time limit of a change of all rows, which holds the datagrid's lock. */
const MAX_CHANGING_MS = 60_000;

/** Result of the check of one batch. */
interface Found {
  readonly checked: number;
  readonly rejectedIds: readonly number[];
  /** Id of the last row of the batch; `null` if no rows follow. */
  readonly lastId: number | null;
}

/**
 * Checks the stored rows for a change to a column. Rows are read in batches, and PostgreSQL
 * returns only values that can be of the type. Values are checked in slices. Memory use therefore
 * stays constant, and the event loop is not blocked.
 */
@Injectable()
export class RowColumnContents implements OnModuleInit, ColumnHooks {
  constructor(
    private readonly contents: ColumnContents,
    private readonly batches: RowBatches,
    private readonly values: StoredValueRepository,
    private readonly claims: UniqueClaimRepository,
    private readonly repeated: RepeatedValueRepository,
    private readonly conversion: RowConversion,
    private readonly log: ValueLogRepository,
    private readonly convertible: ConvertibleValueRepository,
    private readonly config: AppConfig,
    private readonly readOnly: ReadOnlyColumnRepository,
  ) {}

  onModuleInit(): void {
    this.contents.register(this);
  }

  async countMissing(column: StoredColumn): Promise<number> {
    return this.batches.sum(column, (batch) => this.values.countMissing(column, batch));
  }

  async countRejected(column: StoredColumn, type: TypeRules): Promise<number> {
    const look = this.lookFor(column, { mayBeMissing: true, type });
    return this.batches.sum(column, async (batch) => {
      const { rejectedIds, lastId } = await look(batch);
      return { lastId, count: rejectedIds.length };
    });
  }

  async findRejected(column: StoredColumn, rule: ValueRule): Promise<ConflictingRows> {
    const deadlineMs = performance.now() + MAX_LOOKING_MS;
    const look = this.lookFor(column, rule);
    const firstIds: number[] = [];
    let [checked, conflicting] = [0, 0];
    await this.batches.forEach(column, async (batch) => {
      const found = await look(batch);
      firstIds.push(...found.rejectedIds.slice(0, MAX_EXAMPLES - firstIds.length));
      checked += found.checked;
      conflicting += found.rejectedIds.length;
      return performance.now() < deadlineMs ? found.lastId : null;
    });
    const examples = firstIds.length > 0 ? await this.values.getExamples(column, firstIds) : [];
    return { checked, conflicting, examples };
  }

  async findRepeated(column: StoredColumn): Promise<ConflictingRows> {
    return this.repeated.find(column);
  }

  async claimUnique(column: StoredColumn): Promise<number> {
    return this.batches.sum(column, (batch) => this.claims.claim(column, batch));
  }

  async convert(author: Author, column: StoredColumn, type: TypeRules): Promise<void> {
    await this.conversion.convert(author, column, type);
  }

  async countUnconvertible(column: StoredColumn, type: TypeRules): Promise<number> {
    return this.conversion.countUnconvertible(column, type);
  }

  async previewConversion(column: StoredColumn, type: TypeRules): Promise<ConversionPreview> {
    return this.conversion.preview(column, type);
  }

  async listChoices(column: StoredColumn, type: ColumnType, max: number): Promise<string[]> {
    return this.conversion.listChoices(column, type, max);
  }

  async logValues(column: StoredColumn): Promise<void> {
    const { maxRowBytes } = this.config;
    // The first part of the revision is the change of the columns.
    let part = 1;
    await this.batches.forEach(column, async (batch) => {
      const { lastId, ids } = await this.log.log(column, batch, part);
      if (ids.length === 0) return lastId;
      part += 1;
      const id = await this.convertible.findLargeRow(column.datagridId, ids, maxRowBytes);
      if (id !== null) throw tooLarge(id, maxRowBytes);
      return lastId;
    });
  }

  async findFirstRow(datagridId: string): Promise<number | null> {
    return this.readOnly.findFirstId(datagridId);
  }

  async number(column: StoredColumn, offset: number): Promise<void> {
    await this.eachBatch(column, (batch) => this.readOnly.number(column, offset, batch));
  }

  async clearWritten(column: StoredColumn, since: Date): Promise<void> {
    await this.eachBatch(column, (batch) => this.readOnly.clearWritten(column, since, batch));
  }

  /** @throws AppError `query_too_expensive` if the batches take too long together. */
  private async eachBatch(
    column: StoredColumn,
    next: (batch: Batch) => Promise<number | null>,
  ): Promise<void> {
    const deadlineMs = performance.now() + MAX_CHANGING_MS;
    await this.batches.forEach(column, async (batch) => {
      if (performance.now() > deadlineMs) throw tooSlow();
      return next(batch);
    });
  }

  async releaseUnique(column: StoredColumn): Promise<void> {
    await this.claims.release(column);
  }

  /** Returns a function that finds the rows of a batch whose value `rule` rejects. */
  private lookFor(
    column: StoredColumn,
    { mayBeMissing, type }: ValueRule,
  ): (batch: Batch) => Promise<Found> {
    const shape = type && valueShapeFor(type.type, type.options);
    const fits = type ? textCheck(type) : () => true;
    const isRejected = ({ verdict, text }: StoredValue): boolean => {
      if (verdict === 'missing') return !mayBeMissing;
      return verdict === 'unchecked' && text !== null ? !fits(text) : verdict === 'rejected';
    };
    return async (batch) => {
      const rows = await this.values.read(column, shape, batch);
      const rejected = await mapInSlices(column.accountId, rows, isRejected);
      const rejectedIds = rows.filter((_, index) => rejected[index]).map(({ id }) => id);
      return { checked: rows.length, rejectedIds, lastId: rows.at(-1)?.id ?? null };
    };
  }
}

function tooLarge(rowId: number, maxBytes: number): AppError {
  return conflict(
    `Row ${String(rowId)} would have more than ${String(maxBytes)} bytes with this column. Shorten its other values first.`,
  );
}

/** Returns a check of whether a stored value, as text, is valid and in the type's normal form. */
function textCheck({ type, options }: TypeRules): (text: string) => boolean {
  const check: ValueCheck = valueCheckFor(type, options);
  const isString = valueShapeFor(type, options).jsonType === 'string';
  return (text) => {
    const value: unknown = isString ? text : JSON.parse(text);
    const checked = check(value);
    return checked.ok && isDeepStrictEqual(checked.value, value);
  };
}

function tooSlow(): AppError {
  const seconds = String(MAX_CHANGING_MS / 1_000);
  const message = `The values of the column take longer than ${seconds} seconds to set. Nothing has changed. Add the column to a datagrid with fewer rows.`;
  return new AppError('query_too_expensive', message);
}
