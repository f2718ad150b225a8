import { MAX_COUNTED_DETAILS } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import type { JsonValue } from '../../common/json/json-value';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';

/** A row's values in the form in which they are stored. */
export interface CheckedValues {
  /** Normalized values, by slot. */
  readonly bySlot: Readonly<Record<string, JsonValue>>;
  /**
   * The same values by column key, as the API returns them. The same object if slots equal keys.
   */
  readonly byKey: Readonly<Record<string, JsonValue>>;
  /** Slots that were sent as `null`, which clears the value. */
  readonly cleared: readonly string[];
}

/**
 * Checks the values of one row against the columns. Adds errors to `problems`, with `path` as the
 * prefix of each field.
 * @param isWhole Whether these are all values that the row will have. If so, every required column
 *   must be among them.
 * @param maxProblems Number of errors after which the check stops.
 */
export function checkValues(
  schema: DatagridSchema,
  values: Readonly<Record<string, unknown>>,
  path: string,
  isWhole: boolean,
  problems: FieldError[],
  maxProblems = MAX_COUNTED_DETAILS,
): CheckedValues {
  const bySlot: Record<string, JsonValue> = {};
  const byKey: Record<string, JsonValue> = schema.isPlain ? bySlot : {};
  const cleared: string[] = [];
  // Objects from a body inherit nothing, and `Object.entries` costs as much as the checks.
  for (const key in values) {
    if (problems.length >= maxProblems) break;
    const value = values[key];
    const column = schema.columns.get(key);
    if (!column) {
      problems.push(
        problem(`${path}.${key}`, 'unknown_column', 'is not a column of this datagrid'),
      );
    } else if (value === null) {
      cleared.push(column.slot);
      if (column.required && !isWhole) problems.push(missing(`${path}.${key}`));
    } else {
      const checked = column.check(value);
      if (checked.ok) bySlot[column.slot] = byKey[key] = checked.value;
      else problems.push(problem(`${path}.${key}`, checked.code, checked.message));
    }
  }
  if (isWhole) {
    for (const { key } of schema.required) {
      if (problems.length >= maxProblems) break;
      if (!Object.hasOwn(values, key) || values[key] === null)
        problems.push(missing(`${path}.${key}`));
    }
  }
  return { bySlot, byKey, cleared };
}

function problem(field: string, code: string, message: string): FieldError {
  return { field, code, message };
}

function missing(field: string): FieldError {
  return problem(field, 'required', 'must have a value');
}
