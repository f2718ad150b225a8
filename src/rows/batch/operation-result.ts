import type { WriteResponse } from '../../common/envelope/write-response';
import { AppError } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { printBatchRow, type BatchRow } from './batch-row';

/** Result of an operation that succeeded. */
export interface OperationResult {
  readonly status: 'created' | 'updated' | 'unchanged' | 'deleted';
  readonly id: number;
  /** Row after the operation; absent if the row was deleted. */
  readonly row?: BatchRow;
}

/** Results of a request, as JSON text. */
export interface BatchAnswer {
  readonly results: string;
  /** Revision of the datagrid after the request. */
  readonly revision: number;
}

/**
 * Prints results as JSON arrays, before the commit. Printing stops at the first result that makes
 * the text longer than `maxBytes`, regardless of the size of the rows. Room for the response is
 * reserved.
 */
export class ResultPrinter {
  private bytes = 0;
  /** Text of each row, so that a row that many operations leave unchanged is printed once. */
  private readonly printed = new Map<BatchRow, string>();

  constructor(
    private readonly schema: DatagridSchema,
    private readonly maxBytes: number,
    private readonly response: WriteResponse,
  ) {}

  /**
   * Returns the results as a JSON array.
   * @param list Body property that holds the operations.
   * @throws AppError `payload_too_large`
   */
  async print(
    accountId: string,
    results: readonly (OperationResult | AppError)[],
    list: string,
  ): Promise<string> {
    const printed = await mapInSlices(accountId, results, (result) => {
      const text = result instanceof AppError ? printFailure(result) : this.printResult(result);
      this.bytes += Buffer.byteLength(text) + 1;
      if (this.bytes > this.maxBytes) throw resultsTooLarge(list, this.maxBytes);
      this.response.reserve(this.bytes);
      return text;
    });
    return `[${printed.join(',')}]`;
  }

  private printResult({ status, id, row }: OperationResult): string {
    const head = `{"status":"${status}","id":${String(id)}`;
    if (!row) return `${head}}`;
    if (this.response.isMinimal) return `${head},"revision":${String(row.revision)}}`;
    let json = this.printed.get(row);
    if (json === undefined) {
      json = printBatchRow(this.schema, row);
      this.printed.set(row, json);
    }
    return `${head},"row":${json}}`;
  }
}

function printFailure({ code, message, details }: AppError): string {
  const error = { code, message, ...(details.length > 0 && { details }) };
  return JSON.stringify({ status: 'error', error });
}

/** Returns the 413 error for results that exceed `maxBytes`. */
export function resultsTooLarge(list: string, maxBytes: number): AppError {
  const message = `would return more than ${String(maxBytes)} bytes; send Prefer: return=minimal, or fewer ${list}`;
  return new AppError('payload_too_large', `${list}: ${message}`, {
    details: [{ field: list, code: 'too_large', message }],
  });
}
