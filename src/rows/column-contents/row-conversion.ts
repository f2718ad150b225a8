import { Injectable } from '@nestjs/common';
import { AppError, conflict } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import { codePointLength } from '../../common/text/id';
import type { Author } from '../../datagrids/change-log/change-log-sql';
import type {
  ConversionPreview,
  ConvertedExample,
  StoredColumn,
} from '../../datagrids/column/column-contents';
import { MAX_CHOICE_LENGTH } from '../../datagrids/column-type/column-options';
import {
  COLUMN_TYPES,
  type ColumnType,
  type TypeRules,
} from '../../datagrids/column-type/column-type';
import { conversionTo } from '../../datagrids/column-type/type-change';
import { readOnlyColumns } from '../../datagrids/schema/datagrid-schema';
import { DatagridSchemaService } from '../../datagrids/schema/datagrid-schema.service';
import { AppConfig } from '../../platform/config/app-config';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { CounterRepository } from '../write/counter.repository';
import { RowChangeRepository } from '../write/row-change.repository';
import { ConvertibleValueRepository, type ConvertibleValue } from './convertible-value.repository';
import { MAX_EXAMPLES, SHORTENED_CHARACTERS } from './repeated-value.repository';
import { RowBatches } from './row-batches';
import { StoredValueRepository } from './stored-value.repository';
import type { Batch } from './unique-claim.repository';

/** Time limit of a conversion, which holds the datagrid's lock. */
const MAX_CONVERTING_MS = 60_000;
/** Time limit of a preview, whose caller waits for it. */
const MAX_PREVIEW_MS = 10_000;

/** A row whose value changes. */
interface ConvertedRow {
  readonly id: number;
  /** `undefined` if the value does not convert. */
  readonly value: JsonValue | undefined;
}

/** Converts the values of columns: reads them in batches and converts them in slices. */
@Injectable()
export class RowConversion {
  constructor(
    private readonly config: AppConfig,
    private readonly batches: RowBatches,
    private readonly convertible: ConvertibleValueRepository,
    private readonly values: StoredValueRepository,
    private readonly schemas: DatagridSchemaService,
    private readonly counters: CounterRepository,
    private readonly changes: RowChangeRepository,
  ) {}

  /** See `ColumnHooks.convert`. Call it before the column changes, and in its transaction. */
  async convert(author: Author, column: StoredColumn, type: TypeRules): Promise<void> {
    const { accountId, datagridId, slot } = column;
    const schema = await this.schemas.get(accountId, datagridId);
    const counter = await this.counters.lock(schema);
    if (!counter) throw new Error('The columns cannot change under the lock.');
    // The caller maintains claims and the index of the column. Of other columns, only the author changes.
    const readOnly = readOnlyColumns(
      [...schema.columns.values()].filter((other) => other.id !== column.id),
    );
    const indexed = readOnly?.updatedBy.filter((other) => schema.indexed.includes(other)) ?? [];
    const apart = { ...schema, readOnly, unique: [], indexed };
    const write = { revision: counter.revision + 1, at: counter.at, author };
    const deadlineMs = performance.now() + MAX_CONVERTING_MS;
    const next = this.convertedIn(column, type);
    let part = 0;
    await this.batches.forEach(column, async (batch) => {
      if (performance.now() > deadlineMs) throw tooSlow();
      const { changed, lastId } = await next(batch);
      if (changed.length === 0) return lastId;
      if (part === 0) await this.counters.raise(schema, counter);
      const rows = changed.map(({ id, value }) => ({
        id,
        json: value === undefined ? '{}' : JSON.stringify({ [slot]: value }),
        cleared: value === undefined ? [slot] : [],
        replaces: false,
      }));
      await this.changes.changeMany(apart, write, part, rows, new Set([slot]));
      part += 1;
      await this.rejectLargeRows(datagridId, type.type, changed);
      return lastId;
    });
  }

  /** See `ColumnHooks.countUnconvertible`. */
  async countUnconvertible(column: StoredColumn, type: TypeRules): Promise<number> {
    const next = this.convertedIn(column, type);
    return this.batches.sum(column, async (batch) => {
      const { changed, lastId } = await next(batch);
      return { lastId, count: changed.filter(({ value }) => value === undefined).length };
    });
  }

  /** See `ColumnHooks.previewConversion`. */
  async preview(column: StoredColumn, type: TypeRules): Promise<ConversionPreview> {
    const deadlineMs = performance.now() + MAX_PREVIEW_MS;
    const next = this.convertedIn(column, type);
    const [first, firstEmptied]: [ConvertedRow[], ConvertedRow[]] = [[], []];
    let [checked, converted, emptied] = [0, 0, 0];
    await this.batches.forEach(column, async (batch) => {
      const found = await next(batch);
      const kept = found.changed.filter(({ value }) => value !== undefined);
      const gone = found.changed.filter(({ value }) => value === undefined);
      first.push(...kept.slice(0, MAX_EXAMPLES - first.length));
      firstEmptied.push(...gone.slice(0, MAX_EXAMPLES - firstEmptied.length));
      checked += found.checked;
      converted += kept.length;
      emptied += gone.length;
      return performance.now() < deadlineMs ? found.lastId : null;
    });
    return {
      checked,
      converted,
      emptied,
      convertedExamples: await this.examples(column, first),
      emptiedExamples: await this.examples(column, firstEmptied),
    };
  }

  /** See `ColumnHooks.listChoices`. */
  async listChoices(column: StoredColumn, type: ColumnType, max: number): Promise<string[]> {
    const { convert } = COLUMN_TYPES[type];
    const choices = new Set<string>();
    const add = ({ jsonType, text }: ConvertibleValue): void => {
      const value = jsonType === null ? undefined : convert?.(text ?? '', jsonType, {});
      for (const item of Array.isArray(value) ? value : [value]) {
        if (choices.size > max || typeof item !== 'string' || item === '') continue;
        if (codePointLength(item) <= MAX_CHOICE_LENGTH) choices.add(item);
      }
    };
    await this.batches.forEach(column, async (batch) => {
      const rows = await this.convertible.read(column, batch);
      await mapInSlices(column.accountId, rows, add);
      return choices.size > max ? null : (rows.at(-1)?.id ?? null);
    });
    return [...choices];
  }

  /** Returns a function that finds the rows of a batch whose value changes. */
  private convertedIn(
    column: StoredColumn,
    type: TypeRules,
  ): (batch: Batch) => Promise<{
    readonly changed: readonly ConvertedRow[];
    readonly checked: number;
    readonly lastId: number | null;
  }> {
    const convert = conversionTo(type);
    const toConverted = ({ id, jsonType, text }: ConvertibleValue): ConvertedRow | null => {
      if (jsonType === null || text === null) return null;
      const value = convert(text, jsonType);
      return isStoredAs(value, jsonType, text) ? null : { id, value };
    };
    return async (batch) => {
      const rows = await this.convertible.read(column, batch);
      const converted = await mapInSlices(column.accountId, rows, toConverted);
      const changed = converted.filter((row) => row !== null);
      return { changed, checked: rows.length, lastId: rows.at(-1)?.id ?? null };
    };
  }

  private async examples(
    column: StoredColumn,
    rows: readonly ConvertedRow[],
  ): Promise<ConvertedExample[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const stored = await this.values.getExamples(column, ids);
    const before = new Map(stored.map(({ rowId, value }) => [rowId, value]));
    // A row that was deleted since is no example.
    return rows.flatMap(({ id, value }) =>
      before.has(id)
        ? [{ rowId: id, value: before.get(id), converted: shortened(value ?? null) }]
        : [],
    );
  }

  /**
   * A value can grow, such as an object that becomes its text.
   * @throws AppError `conflict`
   */
  private async rejectLargeRows(
    datagridId: string,
    type: ColumnType,
    rows: readonly ConvertedRow[],
  ): Promise<void> {
    const { jsonType } = COLUMN_TYPES[type];
    if (jsonType === 'number' || jsonType === 'boolean') return;
    const ids = rows.flatMap(({ id, value }) => (value === undefined ? [] : id));
    const max = this.config.maxRowBytes;
    const id = await this.convertible.findLargeRow(datagridId, ids, max);
    if (id === null) return;
    throw conflict(
      `Row ${String(id)} would have more than ${String(max)} bytes after the conversion.`,
    );
  }
}

/** Returns whether a converted value is the stored one. Numbers are compared in every notation. */
function isStoredAs(value: JsonValue | undefined, jsonType: string, text: string): boolean {
  if (typeof value === 'string') return jsonType === 'string' && value === text;
  if (typeof value === 'number') return jsonType === 'number';
  if (typeof value === 'boolean') return jsonType === 'boolean';
  return value !== undefined && jsonType === 'array';
}

function shortened(value: JsonValue): JsonValue {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHORTENED_CHARACTERS ? `${text.slice(0, SHORTENED_CHARACTERS)}…` : value;
}

function tooSlow(): AppError {
  const seconds = String(MAX_CONVERTING_MS / 1_000);
  const message = `The conversion takes longer than ${seconds} seconds. Add a column and write the converted values to it.`;
  return new AppError('query_too_expensive', message);
}
