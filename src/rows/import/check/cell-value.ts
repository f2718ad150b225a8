import { isExactNumber } from '../../../common/json/exact-number';
import { JsonRefusedError } from '../../../common/json/json-refused-error';
import type { JsonValue } from '../../../common/json/json-value';
import { parseJson } from '../../../common/json/parse-json';
import { readJson } from '../../../common/json/read-json';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';

/** The value of a cell in stored form, or the reason why the column rejects it. */
export type CellValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly code: string; readonly message: string };

export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns a function that reads a cell for a column. The cell must not be empty and must contain
 * only text that can be stored.
 */
export function cellReader({ type, check }: SchemaColumn): (cell: string) => CellValue {
  switch (type) {
    case 'integer':
    case 'number':
      return (cell) => {
        if (!JSON_NUMBER.test(cell)) return rejected('invalid_format', NUMBER_FORM);
        return isExactNumber(cell) ? check(Number(cell)) : rejected('inexact_number', INEXACT);
      };
    case 'boolean':
      return (cell) => {
        const isTrue = /^true$/i.test(cell);
        if (isTrue || /^false$/i.test(cell)) return check(isTrue);
        return rejected('invalid_format', 'must be true or false');
      };
    case 'multiSelect':
    case 'json':
      return (cell) => {
        try {
          return check(readJson(Buffer.from(cell)));
        } catch (error) {
          return rejectedJson(error);
        }
      };
    case 'text':
    case 'decimal':
    case 'date':
    case 'datetime':
    case 'select':
    case 'email':
    case 'url':
      return check;
  }
}

/** Reads a cell like a cell reader, and yields whenever `isDue` returns true. */
export type LongCellReader = (
  cell: string,
  /**
   * Number of JSON values that the cell may have. The reader subtracts the values that it reads.
   */
  budget: { values: number },
  isDue: () => boolean,
) => Generator<undefined, CellValue>;

/** Returns a reader for long cells that contain JSON; `null` for other column types. */
export function longCellReader({ type, check }: SchemaColumn): LongCellReader | null {
  if (type !== 'json' && type !== 'multiSelect') return null;
  return function* (cell, budget, isDue) {
    try {
      const bounds = { maxValues: budget.values, isDue };
      const { value, values } = yield* parseJson(Buffer.from(cell), bounds);
      budget.values -= values;
      return check(value);
    } catch (error) {
      return rejectedJson(error);
    }
  };
}

const NUMBER_FORM = 'must be a number in plain digits, such as -12.5';
const INEXACT = 'would lose digits as a 64-bit double';
const MANY_VALUES = 'makes the line exceed 100,000 JSON values';
const JSON_FORM = 'must be valid JSON without duplicate keys, inexact numbers or NUL characters';

/** @throws the error itself if it is not a JsonRefusedError */
function rejectedJson(error: unknown): CellValue {
  if (error instanceof JsonRefusedError) {
    return rejected(error.code, error.code === 'too_many' ? MANY_VALUES : JSON_FORM);
  }
  throw error;
}

function rejected(code: string, message: string): CellValue {
  return { ok: false, code, message };
}
