import { invalidRequest } from '../../../common/error/app-error';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { CellRowCheck } from '../check/cell-row-check';
import type { CheckedRow, CheckedRows } from '../check/checked-row';
import type { RowRules } from '../check/row-rules';
import { CsvReader, type CsvRecord } from '../read/csv-reader';
import { RecordFault } from '../read/record';
import { Utf8Text } from '../read/utf8-text';
import type { RowSource } from './row-source';

/** Finds the columns of a header, in its order. @throws AppError `invalid_request` */
export interface HeaderColumns {
  /** Records after the header to be looked at before the columns are known. */
  readonly sampleRows: number;
  /** @param sample As many records as are asked for, or all there are. */
  find(header: readonly string[], sample: readonly CsvRecord[]): Promise<readonly SchemaColumn[]>;
}

/** A sample is no longer than this, in UTF-16 units of text. */
const MOST_SAMPLE_LENGTH = 4 * 1024 * 1024;

/** Rows of CSV: the first record names the columns of the others. */
export class CsvSource implements RowSource {
  private readonly text = new Utf8Text();
  private readonly reader: CsvReader;
  private checks: CellRowCheck | null = null;
  private header: CsvRecord | null = null;
  private readonly sample: CsvRecord[] = [];
  private sampleLength = 0;

  constructor(
    private readonly columns: HeaderColumns,
    private readonly rules: RowRules,
    lineLimitBytes: number,
  ) {
    this.reader = new CsvReader(lineLimitBytes);
  }

  async *rows(chunks: AsyncIterable<Buffer>): AsyncGenerator<CheckedRows> {
    for await (const chunk of chunks) {
      const text = this.text.read(chunk);
      yield* this.take(this.reader.read(text), text.length);
    }
    const rest = this.text.end();
    yield* this.take(this.reader.read(rest), rest.length);
    yield* this.take(this.reader.end(), Infinity);
    if (!this.header) throw refusedHeader('required', 'must be the first line');
  }

  private async *take(records: Iterable<CsvRecord>, length: number): AsyncGenerator<CheckedRows> {
    if (this.checks) {
      yield checked(this.checks, records);
      return;
    }
    this.sampleLength += length;
    for (const record of records) {
      if (this.header) this.sample.push(record);
      else this.header = record;
    }
    const isEnough =
      this.sample.length >= this.columns.sampleRows || this.sampleLength >= MOST_SAMPLE_LENGTH;
    if (!this.header || !isEnough) return;
    this.checks = await this.open(this.header);
    yield checked(this.checks, this.sample.splice(0));
  }

  private async open({ content }: CsvRecord): Promise<CellRowCheck> {
    if (content instanceof RecordFault) throw refusedHeader(content.code, content.message);
    return new CellRowCheck(await this.columns.find(content, this.sample), this.rules);
  }
}

function* checked(checks: CellRowCheck, records: Iterable<CsvRecord>): Generator<CheckedRow> {
  for (const record of records) yield checks.check(record);
}

/** 400 for the first line. */
export function refusedHeader(code: string, message: string): Error {
  return invalidRequest([{ field: 'header', code, message }]);
}
