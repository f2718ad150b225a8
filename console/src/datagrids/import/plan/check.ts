import { importText } from '../../../text/import-text';
import type { Cell, SourceRecord } from '../read/record';
import { readRecords } from '../read/source';
import { expectedFor, readValue, type ReadColumn, type ValueFormats } from '../values/read-value';
import {
  ERROR_COLUMN,
  exampleOf,
  MAX_EXAMPLES,
  type ImportPlan,
  type ValueExample,
  type WrittenColumn,
} from './plan';

/** Characters of output that are collected before they become part of a file. */
const PART_CHARACTERS = 4 * 1024 * 1024;

/** A file and what is to be done with it. */
export interface CheckTask {
  readonly file: File;
  readonly plan: ImportPlan;
  readonly written: readonly WrittenColumn[];
}

/**
 * What happens to a value that does not fit: its row is left out, and has to be; its row is left
 * out, but the value could be left empty; or the value is left empty.
 */
export type MisfitOutcome = 'rejected' | 'emptiable' | 'emptied';

export interface Misfit {
  /** Title of the column; absent if the row as a whole cannot be read. */
  readonly title?: string;
  /** Position of the column in the file. */
  readonly at?: number;
  readonly reason: string;
  readonly outcome: MisfitOutcome;
  readonly count: number;
  readonly examples: readonly ValueExample[];
}

export interface CheckResult {
  readonly rows: number;
  readonly rejected: number;
  /** Number of values that do not fit and are left empty. */
  readonly emptied: number;
  readonly misfits: readonly Misfit[];
  /** Columns that are left out although they have values. */
  readonly leftOut: readonly { readonly name: string; readonly count: number }[];
}

/**
 * Returns the JSON of the cell at a position: `null` if the cell is empty, undefined if it does not
 * fit the column. A JSON string stays a string in a column of type `json`, whatever is in it.
 */
export function readCell(
  { cells, strings }: SourceRecord,
  at: number,
  column: ReadColumn,
  formats: ValueFormats,
): { readonly json: string | undefined; readonly isEmpty: boolean } {
  const cell = cells[at];
  const isString = column.type === 'json' && strings?.has(at) === true;
  if (cell == null || (cell.trim() === '' && column.type !== 'text' && !isString)) {
    return { json: 'null', isEmpty: true };
  }
  const json = isString ? JSON.stringify(cell) : readValue(cell, column, formats);
  return { json, isEmpty: false };
}

/** Returns whether an empty cell clears the value of the row that it matches. */
function isCleared({ cells }: SourceRecord, { at }: WrittenColumn, plan: ImportPlan): boolean {
  return cells[at] !== undefined && plan.matchOn !== '';
}

/** A value, or a whole row, that does not fit. */
interface WrongValue extends Pick<Misfit, 'reason' | 'outcome'> {
  /** Absent if the row as a whole cannot be read. */
  readonly written?: WrittenColumn;
}

/** A row as the import sends it. */
export interface ConvertedRow {
  /** The row as a line of NDJSON; undefined if it is left out. */
  readonly json: string | undefined;
  /** The reasons why the row is left out, or the values of it that are left empty. */
  readonly wrong: readonly WrongValue[];
}

export function convertRow(
  record: SourceRecord,
  { plan, written }: Pick<CheckTask, 'plan' | 'written'>,
): ConvertedRow {
  if (record.error !== undefined) {
    return { json: undefined, wrong: [{ reason: record.error, outcome: 'rejected' }] };
  }
  const members: string[] = [];
  const wrong: WrongValue[] = [];
  for (const one of written) {
    const { key, type, required, defaultValue } = one.column;
    const { json, isEmpty } = readCell(record, one.at, one.column, plan.formats);
    if (json === undefined) {
      const reason = importText.check.wrongType(expectedFor(type));
      // A row without a value to match could change another row than meant.
      const outcome = outcomeOf(plan, required || key === plan.matchOn);
      wrong.push({ written: one, reason, outcome });
      if (outcome === 'emptied' && (defaultValue !== undefined || isCleared(record, one, plan))) {
        members.push(`${JSON.stringify(key)}:null`);
      }
    } else if (json === 'null' && isEmpty && required) {
      wrong.push({ written: one, reason: importText.check.missing, outcome: 'rejected' });
    } else if (!isEmpty || defaultValue !== undefined || isCleared(record, one, plan)) {
      members.push(`${JSON.stringify(key)}:${json}`);
    }
  }
  if (wrong.every(({ outcome }) => outcome === 'emptied')) {
    return { json: `{${members.join(',')}}`, wrong };
  }
  return { json: undefined, wrong: wrong.filter(({ outcome }) => outcome !== 'emptied') };
}

function outcomeOf({ emptiesMisfits }: ImportPlan, needsValue: boolean): MisfitOutcome {
  if (needsValue) return 'rejected';
  return emptiesMisfits ? 'emptied' : 'emptiable';
}

/**
 * Counts the values of a whole file that do not fit.
 * @param onRow Receives each row that fits, as a line of NDJSON.
 */
export async function checkFile(
  task: CheckTask,
  onProgress: (rows: number) => void,
  onRow?: (json: string, line: number) => void,
): Promise<CheckResult> {
  const { file, plan } = task;
  const misfits = new Map<string, Misfit & { examples: ValueExample[] }>();
  const skipped = plan.columns.flatMap(({ target, name }, at) =>
    target.kind === 'skip' && name !== ERROR_COLUMN ? [{ name, at, count: 0 }] : [],
  );
  let [rows, rejected, emptied] = [0, 0, 0];
  for await (const record of readRecords(file, plan.format, plan.names)) {
    rows += 1;
    if (rows % 2_000 === 0) onProgress(rows);
    for (const one of skipped) if (isFilled(record.cells[one.at])) one.count += 1;
    const { json, wrong } = convertRow(record, task);
    if (json === undefined) rejected += 1;
    else {
      emptied += wrong.length;
      onRow?.(json, record.line);
    }
    for (const { written, reason, outcome } of wrong) {
      const name = `${written?.at ?? ''} ${reason}`;
      const known = misfits.get(name) ?? {
        ...(written ? { title: written.column.title, at: written.at } : {}),
        reason,
        outcome,
        count: 0,
        examples: [],
      };
      if (known.examples.length < MAX_EXAMPLES) {
        known.examples.push(exampleOf(record, written?.at ?? 0));
      }
      misfits.set(name, { ...known, count: known.count + 1 });
    }
  }
  return {
    rows,
    rejected,
    emptied,
    misfits: [...misfits.values()],
    leftOut: skipped.filter(({ count }) => count > 0).map(({ name, count }) => ({ name, count })),
  };
}

const isFilled = (cell: Cell): boolean => cell != null && cell !== '';

/** Collects text into a file. A browser keeps the parts of a large file on disk. */
export class FileText {
  private readonly parts: Blob[] = [];
  private pending: string[] = [];
  private length = 0;

  add(text: string): void {
    this.pending.push(text);
    this.length += text.length;
    if (this.length >= PART_CHARACTERS) this.flush();
  }

  toFile(name: string, type: string): File {
    this.flush();
    return new File(this.parts, name, { type });
  }

  private flush(): void {
    this.parts.push(new Blob(this.pending));
    [this.pending, this.length] = [[], 0];
  }
}

/** The rows of a file that fit, as NDJSON. */
export interface ConvertedFile {
  readonly file: File;
  /** The line in the file of each line of NDJSON. */
  readonly lines: Uint32Array;
}

/** Converts the rows that are not left out to NDJSON, as the API takes it. */
export async function convertFile(
  task: CheckTask,
  onProgress: (rows: number) => void,
): Promise<ConvertedFile> {
  const output = new FileText();
  const lines: number[] = [];
  await checkFile(task, onProgress, (json, line) => {
    output.add(`${json}\n`);
    lines.push(line);
  });
  const name = `${task.file.name}.ndjson`;
  return { file: output.toFile(name, 'application/x-ndjson'), lines: Uint32Array.from(lines) };
}
