import type { DetailCode } from '../../common/error/app-error';
import { isExactNumber, JSON_NUMBER } from '../../common/json/scan-json';
import { JsonRejectedError } from '../../common/json/json-error';
import type { JsonValue } from '../../common/json/token-reader';
import { parseJson } from '../../common/json/parse-json';
import { readJson } from '../../common/json/read-json';
import { COLUMN_TYPES } from '../../datagrids/column-type/column-type';
import type { ValueForm } from './row-rules';

/** The value of a cell in stored form, or the reason why the column rejects it. */
export type CellValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly code: DetailCode; readonly message: string };

/**
 * Returns a function that reads a cell for a column. The cell must not be empty and must contain
 * only text that can be stored.
 */
export function cellReader({ type, check }: ValueForm): (cell: string) => CellValue {
  switch (COLUMN_TYPES[type].cell) {
    case 'number':
      return (cell) => {
        if (!JSON_NUMBER.test(cell)) return rejectedCell('invalid_format', NUMBER_FORM);
        return isExactNumber(cell) ? check(Number(cell)) : rejectedCell('inexact_number', INEXACT);
      };
    case 'boolean':
      return (cell) => {
        const isTrue = /^true$/i.test(cell);
        if (isTrue || /^false$/i.test(cell)) return check(isTrue);
        return rejectedCell('invalid_format', 'must be true or false');
      };
    case 'json':
      return (cell) => {
        try {
          return check(readJson(Buffer.from(cell)));
        } catch (error) {
          return rejectedJson(error);
        }
      };
    case 'text':
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
export function longCellReader({ type, check }: ValueForm): LongCellReader | null {
  if (COLUMN_TYPES[type].cell !== 'json') return null;
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

/** @throws the error itself if it is not a JsonRejectedError */
function rejectedJson(error: unknown): CellValue {
  if (error instanceof JsonRejectedError) {
    return rejectedCell(error.code, error.code === 'too_many' ? MANY_VALUES : JSON_FORM);
  }
  throw error;
}

function rejectedCell(code: DetailCode, message: string): CellValue {
  return { ok: false, code, message };
}
