import type { Column } from '../../datagrid';
import type { ImportPlan, WrittenColumn } from './plan';

/** Rows at the start of a file whose values are compared with those of the datagrid. */
export const MAX_COMPARED_ROWS = 10_000;

/** Forms of values in unique columns, as `uniqueForm` returns them, by the key of the column. */
export type UniqueForms = ReadonlyMap<string, ReadonlySet<string>>;

/** Why a row cannot be created: a row of the datagrid, or an earlier one of the file, has a value. */
export type ConflictKind = 'exists' | 'repeated';

export interface UniqueConflict {
  readonly written: WrittenColumn;
  readonly kind: ConflictKind;
}

/** Returns the columns whose values no two rows can have, if each row of the file creates a row. */
export function comparedColumns(
  written: readonly WrittenColumn[],
  { matchOn }: Pick<ImportPlan, 'matchOn'>,
): readonly WrittenColumn[] {
  return matchOn === '' ? written.filter(({ column, isNew }) => column.unique && !isNew) : [];
}

/**
 * Returns the JSON of a value in a form that equal values share: the service compares decimals and
 * numbers by their value, times in UTC, and texts in lower case if the column ignores case.
 */
export function uniqueForm(
  { type, options }: Pick<Column, 'type' | 'options'>,
  json: string,
): string {
  if (options.ignoreCase)
    return JSON.stringify((JSON.parse(json) as string).toLowerCase().replaceAll('ς', 'σ'));
  if (type === 'number') return String(Number(json));
  if (type === 'decimal') return decimalForm(json);
  return type === 'datetime' ? timeForm(json) : json;
}

function decimalForm(json: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^"(-?)0*(\d*)\.?(\d*)"$/.exec(json) ?? [];
  const digits = fraction.replace(/0+$/, '');
  const amount = `${whole || '0'}${digits && `.${digits}`}`;
  return `"${amount === '0' ? '' : sign}${amount}"`;
}

function timeForm(json: string): string {
  const time = new Date(JSON.parse(json) as string);
  return Number.isNaN(time.getTime()) ? json : JSON.stringify(time);
}

/** Finds rows of a file that have a value of another row in a unique column. */
export class UniqueValues {
  /** Values of the rows of the file that are created. */
  private readonly seen: ReadonlyMap<string, Set<string>>;

  constructor(
    private readonly columns: readonly WrittenColumn[],
    /** Values of the rows of the datagrid. */
    private readonly taken: UniqueForms,
  ) {
    this.seen = new Map(columns.map(({ column }) => [column.key, new Set<string>()]));
  }

  /**
   * Returns what prevents a row from being created. If nothing does, later rows cannot have its
   * values.
   * @param values JSON of the values of the row, by the key of the column.
   */
  claim(values: ReadonlyMap<string, string>): readonly UniqueConflict[] {
    const forms = this.formsOf(values);
    const conflicts = forms.flatMap(({ written, form }): readonly UniqueConflict[] => {
      const { key } = written.column;
      if (this.taken.get(key)?.has(form)) return [{ written, kind: 'exists' }];
      return this.seen.get(key)?.has(form) ? [{ written, kind: 'repeated' }] : [];
    });
    if (conflicts.length > 0) return conflicts;
    for (const { written, form } of forms) this.seen.get(written.column.key)?.add(form);
    return [];
  }

  /** Returns the forms of the values that a row has in unique columns. */
  formsOf(
    values: ReadonlyMap<string, string>,
  ): readonly { readonly written: WrittenColumn; readonly form: string }[] {
    return this.columns.flatMap((written) => {
      const json = values.get(written.column.key);
      if (json === undefined || json === 'null') return [];
      return [{ written, form: uniqueForm(written.column, json) }];
    });
  }
}
