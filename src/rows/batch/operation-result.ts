import { AppError } from '../../common/error/app-error';

/** What became of an operation that was carried out. */
export interface OperationResult {
  readonly status: 'created' | 'updated' | 'unchanged' | 'deleted';
  readonly id: number;
  /** The row after it, as JSON text; absent where it is gone. */
  readonly row?: string;
}

/** What a call answers, an entry for each operation. */
export interface BatchAnswer {
  readonly results: readonly (OperationResult | AppError)[];
  /** The datagrid's, after the call. */
  readonly revision: number;
}

/** As the API gives it. */
export function printResult(result: OperationResult | AppError): string {
  if (!(result instanceof AppError)) {
    const { status, id, row } = result;
    const printed = row === undefined ? '' : `,"row":${row}`;
    return `{"status":"${status}","id":${String(id)}${printed}}`;
  }
  const { code, message, details } = result;
  const error = { code, message, ...(details.length > 0 && { details }) };
  return JSON.stringify({ status: 'error', error });
}
