import type { Cell, SourceRecord } from '../read/record';
import { readRecords } from '../read/source';
import { RowConverter, type RowTask, type WrongValue } from './convert-row';
import { ERROR_COLUMN, exampleOf, MAX_EXAMPLES, type ValueExample } from './plan';
import { MAX_COMPARED_ROWS, UniqueValues, type UniqueForms } from './unique-values';

/** Characters of output that are collected before they become part of a file. */
const PART_CHARACTERS = 4 * 1024 * 1024;

/** A file and what is to be done with it. */
export interface CheckTask extends RowTask {
  readonly file: File;
}

/** Values that do not fit for the same reason. */
export interface Misfit extends Omit<WrongValue, 'written'> {
  /** Title of the column; absent if the row as a whole cannot be read. */
  readonly title?: string;
  /** Position of the column in the file. */
  readonly at?: number;
  readonly count: number;
  readonly examples: readonly ValueExample[];
}

/** Rows of a file that match the same rows of the datagrid as earlier ones. */
export interface RepeatedKeys {
  /** Title of the column by whose values rows match. */
  readonly title: string;
  /** Number of rows whose value an earlier row has. */
  readonly rows: number;
  /** The first such value as it is written, and the number of rows that have it. */
  readonly text: string;
  readonly rowsOfText: number;
}

export interface CheckResult {
  readonly rows: number;
  readonly rejected: number;
  /** Number of values that do not fit and are left empty. */
  readonly emptied: number;
  readonly misfits: readonly Misfit[];
  /** Columns that are left out although they have values. */
  readonly leftOut: readonly { readonly name: string; readonly count: number }[];
  /** Values of the first rows in unique columns, to compare them with those of the datagrid. */
  readonly uniqueForms: UniqueForms;
  /** Absent if no two rows match the same row. */
  readonly repeatedKeys?: RepeatedKeys;
}

/** Finds the rows of a file that match the same rows of the datagrid. */
class RepeatedKeySearch {
  private readonly keys: UniqueValues;
  private rows = 0;
  private first:
    | { readonly text: string; readonly title: string; readonly form: string }
    | undefined;
  private rowsOfFirst = 1;

  constructor({ plan, written }: RowTask) {
    const columns = written.filter(({ column }) => column.key === plan.matchOn);
    this.keys = new UniqueValues(columns, new Map());
  }

  add(record: SourceRecord, values: ReadonlyMap<string, string>): void {
    const [repeated] = this.keys.claim(values);
    const [key] = this.keys.formsOf(values);
    if (!repeated || !key) return;
    this.rows += 1;
    const { at, column } = repeated.written;
    this.first ??= { text: exampleOf(record, at).text, title: column.title, form: key.form };
    if (key.form === this.first.form) this.rowsOfFirst += 1;
  }

  found(): RepeatedKeys | undefined {
    const { first, rows, rowsOfFirst: rowsOfText } = this;
    return first && { title: first.title, text: first.text, rows, rowsOfText };
  }
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
  const converter = new RowConverter(task);
  const uniqueForms = new Map<string, Set<string>>();
  const search = new RepeatedKeySearch(task);
  let [rows, rejected, emptied] = [0, 0, 0];
  for await (const record of readRecords(file, plan.format, plan.names)) {
    rows += 1;
    if (rows % 2_000 === 0) onProgress(rows);
    for (const one of skipped) if (isFilled(record.cells[one.at])) one.count += 1;
    const row = converter.convert(record);
    const { json, wrong } = row;
    if (rows <= MAX_COMPARED_ROWS) {
      for (const { written, form } of converter.uniqueFormsOf(row)) {
        const { key } = written.column;
        uniqueForms.set(key, (uniqueForms.get(key) ?? new Set()).add(form));
      }
    }
    if (json === undefined) rejected += 1;
    else {
      emptied += wrong.length;
      search.add(record, row.values);
      onRow?.(json, record.line);
    }
    for (const { written, ...found } of wrong) {
      const { reason } = found;
      const name = `${written?.at ?? ''} ${reason}`;
      const known = misfits.get(name) ?? {
        ...(written ? { title: written.column.title, at: written.at } : {}),
        ...found,
        count: 0,
        examples: [],
      };
      if (known.examples.length < MAX_EXAMPLES) {
        known.examples.push(exampleOf(record, written?.at ?? 0));
      }
      misfits.set(name, { ...known, count: known.count + 1 });
    }
  }
  const repeatedKeys = search.found();
  return {
    rows,
    rejected,
    emptied,
    misfits: [...misfits.values()],
    leftOut: skipped.filter(({ count }) => count > 0).map(({ name, count }) => ({ name, count })),
    uniqueForms,
    ...(repeatedKeys && { repeatedKeys }),
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
