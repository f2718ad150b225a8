import {
  columnTitle,
  matchNames,
  singleSpaced,
} from '../../../../../src/imports/read/column-names';
import { importText } from '../../../text/import-text';
import type { Column } from '../../datagrid';
import { isReadOnly, type ColumnType } from '../../column-type';
import { keyFor } from '../../columns/key-for';
import { detectOrder } from '../values/read-date';
import { detectMark } from '../values/read-number';
import type { ValueFormats } from '../values/read-value';
import type { FileFormat, SourceRecord } from '../read/record';
import type { Sample } from '../read/source';
import { detectType } from './detect-type';

const t = importText.plan;

/** Where the cells of a column of the file go. */
export interface PlannedColumn {
  /** Name in the file. Blank and repeated names are numbered. */
  readonly name: string;
  /** Key of an existing column, `new`, or `skip` to leave the column out. */
  readonly target: { readonly kind: 'existing'; readonly key: string } | { kind: 'new' | 'skip' };
  /** Title and type of a new column. */
  readonly title: string;
  readonly type: ColumnType;
  /** The type that most values of a text column have. */
  readonly hint?: TypeProposal;
}

/** Maximum number of examples for one reason. */
export const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_CHARACTERS = 60;

/** A value that does not fit, and the line of its row. */
export interface ValueExample {
  readonly line: number;
  readonly text: string;
}

export function exampleOf({ line, cells, detail }: SourceRecord, at: number): ValueExample {
  return { line, text: detail ?? (cells[at] ?? '').slice(0, MAX_EXAMPLE_CHARACTERS) };
}

/** A type that most values of a column have, and some of those that do not. */
export interface TypeProposal {
  readonly type: ColumnType;
  readonly values: number;
  readonly misfits: number;
  readonly examples: readonly ValueExample[];
}

/** What an import does with a file. */
export interface ImportPlan {
  readonly format: FileFormat;
  /** Names in the header as they are in the file. */
  readonly names: readonly string[];
  readonly columns: readonly PlannedColumn[];
  readonly formats: ValueFormats;
  /** Examples that can be read in two ways, until the user chooses. */
  readonly ambiguous: { readonly number?: string; readonly date?: string };
  /** Key of the column that identifies existing rows; empty to create a row for each. */
  readonly matchOn: string;
  /** Whether values that do not fit are left empty. Otherwise their rows are left out. */
  readonly emptiesMisfits: boolean;
}

/** Name of the column with the reasons in a file of rejected rows. */
export const ERROR_COLUMN = 'import_error';

export interface PlanOptions {
  readonly existing: readonly Column[];
  readonly mayCreate: boolean;
}

/** Proposes what to do with a file. */
export function proposePlan(sample: Sample, { existing, mayCreate }: PlanOptions): ImportPlan {
  const { format, records } = sample;
  const texts = records.flatMap(({ cells }) => cells.filter((cell) => typeof cell === 'string'));
  const isLocal = format.kind === 'csv';
  const number = isLocal ? detectMark(texts) : { mark: '.' as const };
  const date = detectOrder(texts);
  const formats = { mark: number.mark, order: date.order };
  const names = uniqueNames(sample.names);
  const matches = matchColumns(names, existing);
  const columns = names.map((name, at): PlannedColumn => {
    const title = columnTitle(name);
    // An error of a formula tells nothing about the type of the other values.
    const cells = records.map((record) => (record.faults?.has(at) ? null : record.cells[at]));
    const hasNoString = records.every(({ strings }) => strings?.has(at) === false);
    const { type, hint } = detectType(cells, formats, hasNoString);
    const match = matches[at];
    const isBlank = (sample.names[at] ?? '') === '' && cells.every((cell) => cell == null);
    if (match) {
      // The service sets its values. They are left out.
      if (isReadOnly(match.type)) return { name, target: { kind: 'skip' }, title, type };
      return { name, target: { kind: 'existing', key: match.key }, title, type };
    }
    const isLeftOut = !mayCreate || isBlank || name === ERROR_COLUMN;
    const target = { kind: isLeftOut ? 'skip' : 'new' } as const;
    if (!hint) return { name, target, title, type };
    const wrong = records.filter((_record, row) => hint.misfits.includes(row));
    const examples = wrong.slice(0, MAX_EXAMPLES).map((record) => exampleOf(record, at));
    return {
      name,
      target,
      title,
      type,
      hint: { type: hint.type, values: hint.values, misfits: wrong.length, examples },
    };
  });
  const ambiguous = {
    ...(number.ambiguous === undefined ? {} : { number: number.ambiguous }),
    ...(date.ambiguous === undefined ? {} : { date: date.ambiguous }),
  };
  return {
    format,
    names: sample.names,
    columns,
    formats,
    ambiguous,
    matchOn: '',
    emptiesMisfits: false,
  };
}

/** Finds the existing column of each name: as the service does, or else without regard to case. */
function matchColumns(
  names: readonly string[],
  existing: readonly Column[],
): readonly (Column | undefined)[] {
  const columns = existing.map((column) => ({ ...column, title: singleSpaced(column.title) }));
  const exact = matchNames(names, columns, (name) => columns.find(({ key }) => key === name));
  const used = new Set<string>();
  const use = (column: Column | undefined): Column | undefined => {
    if (column) used.add(column.key);
    return column;
  };
  const found = exact.map((match) =>
    match === null || match === 'several' || used.has(match.key) ? undefined : use(match),
  );
  return names.map(
    (name, at) =>
      found[at] ??
      use(columns.find(({ key, title }) => !used.has(key) && isAlike(name, key, title))),
  );
}

const isAlike = (name: string, key: string, title: string): boolean =>
  [key, title].some((own) => own.toLowerCase() === name.toLowerCase()) ||
  // Earlier keys kept the case of words in capitals.
  keyFor(name).toLowerCase() === key.toLowerCase();

/** Numbers blank and repeated names. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((given, at) => {
    const name = given === '' ? t.numberedColumn(at + 1) : given;
    let unique = name;
    const isTaken = (): boolean => seen.has(unique) || (unique !== given && taken.has(unique));
    for (let count = 2; isTaken(); count += 1) unique = `${name} ${count}`;
    seen.add(unique);
    return unique;
  });
}

/** A column that the import writes. */
export interface WrittenColumn {
  /** Position in the file. */
  readonly at: number;
  readonly column: Column;
  readonly isNew: boolean;
}

/** Returns the columns that an import writes, with keys for the new ones. */
export function writtenColumns(
  plan: ImportPlan,
  existing: readonly Column[],
): readonly WrittenColumn[] {
  const taken = new Set(existing.flatMap(({ key, title }) => [key, title]));
  const names = new Set(plan.columns.map(({ name }) => name));
  return plan.columns.flatMap(({ target, title, type, name }, at): readonly WrittenColumn[] => {
    if (target.kind === 'skip') return [];
    if (target.kind === 'existing') {
      const column = existing.find(({ key }) => key === target.key);
      return column ? [{ at, column, isNew: false }] : [];
    }
    const base = keyFor(title).slice(0, 58) || `column${at + 1}`;
    let key = base;
    // The key must not name another column of the file.
    const isTaken = (): boolean => taken.has(key) || (key !== name && names.has(key));
    for (let count = 2; isTaken(); count += 1) key = `${base}${count}`;
    taken.add(key);
    const isUnique = plan.matchOn === name;
    const flags = { required: false, unique: isUnique, indexed: false, options: {} };
    return [{ at, column: { key, title: title.trim() || name, type, ...flags }, isNew: true }];
  });
}

/** Says why an import cannot start, or returns undefined. */
export function planProblem(plan: ImportPlan): string | undefined {
  if (plan.columns.every(({ target }) => target.kind === 'skip')) return t.noColumn;
  const keys = plan.columns.flatMap(({ target }) =>
    target.kind === 'existing' ? [target.key] : [],
  );
  if (new Set(keys).size < keys.length) return t.sameColumn;
  if (plan.format.kind === 'csv' && plan.format.isAmbiguous) return t.ambiguousDelimiter;
  if (plan.ambiguous.number !== undefined) return t.ambiguousNumbers;
  if (plan.ambiguous.date !== undefined) return t.ambiguousDates;
  return undefined;
}
