import type { WriteResponse } from '../../common/envelope/write-response';
import { AppError } from '../../common/error/app-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { printBatchRow, type BatchRow } from './batch-row';

/** What became of an operation that was carried out. */
export interface OperationResult {
  readonly status: 'created' | 'updated' | 'unchanged' | 'deleted';
  readonly id: number;
  /** The row after it; absent where it is gone. */
  readonly row?: BatchRow;
}

/** What became of a call: the results as JSON text. */
export interface BatchAnswer {
  readonly results: string;
  /** The datagrid's, after the call. */
  readonly revision: number;
}

/**
 * Prints results as JSON arrays, before the commit: stops at the first that makes them longer than
 * `maxBytes`, whatever the rows are, and reserves room for the response.
 */
export class ResultPrinter {
  private bytes = 0;
  /** Rows that many operations leave as they are are printed once. */
  private readonly printed = new Map<BatchRow, string>();

  constructor(
    private readonly schema: DatagridSchema,
    private readonly maxBytes: number,
    private readonly response: WriteResponse,
  ) {}

  /**
   * @param list The member of the body that the operations stand in.
   * @throws AppError `payload_too_large`
   */
  async print(
    accountId: string,
    results: readonly (OperationResult | AppError)[],
    list: string,
  ): Promise<string> {
    const printed = await mapInSlices(accountId, results, (result) => {
      const text = result instanceof AppError ? printFailure(result) : this.printResult(result);
      this.bytes += text.length + 1;
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

/** 413 for results that would be larger than a response may be. */
export function resultsTooLarge(list: string, maxBytes: number): AppError {
  const message = `would return more than ${String(maxBytes)} bytes; send Prefer: return=minimal, or fewer ${list}`;
  return new AppError('payload_too_large', `${list}: ${message}`, {
    details: [{ field: list, code: 'too_large', message }],
  });
}
