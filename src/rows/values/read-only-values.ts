import { fieldError, type FieldError } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import type { Author } from '../../datagrids/change-log/change-log-sql';
import type { ReadOnlyColumns } from '../../datagrids/schema/datagrid-schema';
import { withMembers } from '../storage/row-json';

type SlotValues = Readonly<Record<string, JsonValue>>;

/** A value that a client sends for a column whose values the service sets. */
export interface GivenReadOnlyValue {
  readonly field: string;
  readonly slot: string;
  /** `null` for no value. */
  readonly value: unknown;
}

/** Returns the error for a value that the service sets. */
export function readOnlyProblem(field: string): FieldError {
  return fieldError(field, 'read_only', 'is set by the service; leave it out');
}

/**
 * Returns the errors of given values that are not those of the row. A client that reads a row, changes
 * one value and sends all of them back thus needs not know which ones it cannot set.
 * @param stored The values of the row, by slot; `{}` for a row that does not exist yet.
 */
export function changedReadOnly(
  given: readonly GivenReadOnlyValue[],
  stored: SlotValues,
): FieldError[] {
  return given.flatMap(({ field, slot, value }) => {
    const own = Object.hasOwn(stored, slot) ? stored[slot] : null;
    return own === value ? [] : [readOnlyProblem(field)];
  });
}

/** Returns how values name an author: the id of the key, or of the user who used none. */
export function authorId({ userId, keyId }: Author): string | null {
  return keyId ?? userId;
}

/**
 * Sets the values of columns that the service sets, in the rows that one author writes. Numbers depend
 * only on the id of a row: it has the same number after it was restored.
 */
export class ReadOnlyValues {
  private readonly author: string | null;

  constructor(
    private readonly columns: ReadOnlyColumns | null,
    author: Author,
  ) {
    this.author = authorId(author);
  }

  /** Returns the values of a new row. */
  ofNew(id: number, values: SlotValues): SlotValues {
    return this.columns ? { ...values, ...this.creator('slot'), ...this.numbers(id) } : values;
  }

  /** Returns the author of a new row, by slot or by column key. */
  creator(name: 'slot' | 'key'): Record<string, JsonValue> {
    const { author, columns } = this;
    if (author === null || !columns) return {};
    const named = [...columns.createdBy, ...columns.updatedBy];
    return Object.fromEntries(named.map((column) => [column[name], author]));
  }

  /** Returns values that replace those of a row, with the values of the row that stay. */
  kept(stored: SlotValues, values: SlotValues): SlotValues {
    if (!this.columns) return values;
    const { numbers, createdBy, updatedBy } = this.columns;
    const result: Record<string, JsonValue> = { ...values };
    for (const { slot } of [...numbers, ...createdBy, ...updatedBy]) {
      const value = Object.hasOwn(stored, slot) ? stored[slot] : undefined;
      if (value === undefined) Reflect.deleteProperty(result, slot);
      else result[slot] = value;
    }
    return result;
  }

  /** Returns the author of a change, by slot; `{}` if it has none. */
  updater(): Record<string, JsonValue> {
    const { author, columns } = this;
    if (author === null || !columns) return {};
    return Object.fromEntries(columns.updatedBy.map(({ slot }) => [slot, author]));
  }

  /** Returns the values of a row after a change. */
  ofChanged(values: SlotValues): SlotValues {
    if (!this.columns || this.columns.updatedBy.length === 0) return values;
    const result: Record<string, JsonValue> = { ...values, ...this.updater() };
    if (this.author !== null) return result;
    for (const { slot } of this.columns.updatedBy) Reflect.deleteProperty(result, slot);
    return result;
  }

  /** Returns the numbers of a row, by slot. */
  numbers(id: number): Record<string, JsonValue> {
    const numbers = this.columns?.numbers ?? [];
    return Object.fromEntries(numbers.map(({ slot, numberOffset }) => [slot, id + numberOffset]));
  }
}

/**
 * Returns new rows, as JSON, with their author. Returns them as they are if no column has the author.
 * @param name Whether the rows have values by slot or by column key.
 */
export function withCreator(
  { readOnly }: { readonly readOnly: ReadOnlyColumns | null },
  author: Author,
  rows: readonly string[],
  name: 'slot' | 'key',
): readonly string[] {
  if (!readOnly) return rows;
  const creator = new ReadOnlyValues(readOnly, author).creator(name);
  return rows.map((json) => withMembers(json, creator));
}

/**
 * Returns SQL for the numbers of a row as a `jsonb` object by slot, with the slots and offsets of the
 * columns in two parameters from `$first` on.
 * @param id SQL of the id of the row.
 */
export const numbersSql = (id: string, first: number): string => `
  (SELECT coalesce(jsonb_object_agg(n.slot, ${id} + n.distance), '{}')
    FROM unnest($${String(first)}::text[], $${String(first + 1)}::bigint[]) AS n(slot, distance))`;

/** Returns the values of the parameters of `numbersSql`. */
export function numberColumnValues({ numbers }: Pick<ReadOnlyColumns, 'numbers'>): unknown[] {
  return [numbers.map(({ slot }) => slot), numbers.map(({ numberOffset }) => numberOffset)];
}
