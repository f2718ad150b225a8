import { importText } from '../../../text/import-text';
import type { SourceRecord } from '../read/record';
import { expectedFor, readValue, type ReadColumn, type ValueFormats } from '../values/read-value';
import type { ImportPlan, WrittenColumn } from './plan';
import {
  comparedColumns,
  UniqueValues,
  type ConflictKind,
  type UniqueForms,
} from './unique-values';

const t = importText.check;

/** What is to be done with the rows of a file. */
export interface RowTask {
  readonly plan: ImportPlan;
  readonly written: readonly WrittenColumn[];
  /** Values that rows of the datagrid have in unique columns, as far as they were compared. */
  readonly taken?: UniqueForms;
}

/**
 * What happens to a value that does not fit: its row is left out, and has to be; its row is left
 * out, but the value could be left empty; or the value is left empty.
 */
export type MisfitOutcome = 'rejected' | 'emptiable' | 'emptied';

/** A value, or a whole row, that does not fit. */
export interface WrongValue {
  /** Absent if the row as a whole cannot be read. */
  readonly written?: WrittenColumn;
  readonly reason: string;
  readonly outcome: MisfitOutcome;
  /** Set if another row has the value. */
  readonly conflict?: ConflictKind;
}

/** A row as the import sends it. */
export interface ConvertedRow {
  /** The row as a line of NDJSON; undefined if it is left out. */
  readonly json: string | undefined;
  /** The reasons why the row is left out, or the values of it that are left empty. */
  readonly wrong: readonly WrongValue[];
  /** JSON of its values that fit, by the key of the column. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Returns the JSON of the cell at a position: `null` if the cell is empty, undefined if it does not
 * fit the column. A JSON string stays a string in a column of type `json`, whatever is in it.
 */
export function readCell(
  { cells, strings, faults }: SourceRecord,
  at: number,
  column: ReadColumn,
  formats: ValueFormats,
): { readonly json: string | undefined; readonly isEmpty: boolean } {
  const cell = cells[at];
  if (faults?.has(at)) return { json: undefined, isEmpty: false };
  const isString = column.type === 'json' && strings?.has(at) === true;
  if (cell == null || (cell.trim() === '' && column.type !== 'text' && !isString)) {
    return { json: 'null', isEmpty: true };
  }
  const json = isString ? JSON.stringify(cell) : readValue(cell, column, formats);
  return { json, isEmpty: false };
}

/** Converts the rows of a file, one after another. */
export class RowConverter {
  private readonly unique: UniqueValues;

  constructor(private readonly task: RowTask) {
    const { plan, written, taken = new Map() } = task;
    this.unique = new UniqueValues(comparedColumns(written, plan), taken);
  }

  convert(record: SourceRecord): ConvertedRow {
    const row = convertRow(record, this.task);
    if (row.json === undefined) return row;
    const conflicts = this.unique.claim(row.values);
    if (conflicts.length === 0) return row;
    const wrong = conflicts.map(({ written, kind }): WrongValue => ({
      written,
      reason: kind === 'exists' ? t.existing : t.repeated,
      outcome: 'rejected',
      conflict: kind,
    }));
    return { ...row, json: undefined, wrong };
  }

  /** Returns the forms of the values that a row has in unique columns. */
  uniqueFormsOf({ values }: ConvertedRow): ReturnType<UniqueValues['formsOf']> {
    return this.unique.formsOf(values);
  }
}

function convertRow(record: SourceRecord, { plan, written }: RowTask): ConvertedRow {
  const values = new Map<string, string>();
  if (record.error !== undefined) {
    return { json: undefined, wrong: [{ reason: record.error, outcome: 'rejected' }], values };
  }
  const wrong: WrongValue[] = [];
  for (const one of written) {
    const { key, type, required, defaultValue } = one.column;
    const { json, isEmpty } = readCell(record, one.at, one.column, plan.formats);
    if (json === undefined) {
      const fault = record.faults?.get(one.at);
      const reason = fault ? t.faults[fault] : t.wrongType(expectedFor(type));
      // A row without a value to match could change another row than meant.
      const outcome = outcomeOf(plan, required || key === plan.matchOn);
      wrong.push({ written: one, reason, outcome });
      if (outcome === 'emptied' && (defaultValue !== undefined || isCleared(record, one, plan))) {
        values.set(key, 'null');
      }
    } else if (json === 'null' && isEmpty && required) {
      wrong.push({ written: one, reason: t.missing, outcome: 'rejected' });
    } else if (!isEmpty || defaultValue !== undefined || isCleared(record, one, plan)) {
      values.set(key, json);
    }
  }
  if (wrong.every(({ outcome }) => outcome === 'emptied')) {
    const members = Array.from(values, ([key, json]) => `${JSON.stringify(key)}:${json}`);
    return { json: `{${members.join(',')}}`, wrong, values };
  }
  const rejected = wrong.filter(({ outcome }) => outcome !== 'emptied');
  return { json: undefined, wrong: rejected, values };
}

/** Returns whether an empty cell clears the value of the row that it matches. */
function isCleared({ cells }: SourceRecord, { at }: WrittenColumn, plan: ImportPlan): boolean {
  return cells[at] !== undefined && plan.matchOn !== '';
}

function outcomeOf({ emptiesMisfits }: ImportPlan, needsValue: boolean): MisfitOutcome {
  if (needsValue) return 'rejected';
  return emptiesMisfits ? 'emptied' : 'emptiable';
}
