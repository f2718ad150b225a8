import { isExactNumber } from '../../../common/json/exact-number';
import { JsonRefusedError } from '../../../common/json/json-refused-error';
import type { JsonValue } from '../../../common/json/json-value';
import { readJson } from '../../../common/json/read-json';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';

/** What a cell holds, to be stored; or why the column does not hold it. */
export type CellValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly code: string; readonly message: string };

export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a cell that is not empty, and in which all is text that can be stored, for a column. */
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
          if (error instanceof JsonRefusedError) return rejected(error.code, JSON_FORM);
          throw error;
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

const NUMBER_FORM = 'must be a number in plain digits, such as -12.5';
const INEXACT = 'would lose digits: a 64-bit double must hold it';
const JSON_FORM = 'must be JSON text that can be stored as it is';

function rejected(code: string, message: string): CellValue {
  return { ok: false, code, message };
}
