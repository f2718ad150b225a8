import { AppError, ERROR_STATUS, type FieldError, invalidRequest } from '../common/error/app-error';
import type { Parameter } from '../platform/http/query';
import type { ResponseSource } from '../platform/http/streamed-response';
import { LINK_KEYS_PARAMETER } from '../rows/link/link-key';
import { ROW_QUERY_PARAMETERS, type RowQuery, rowQueryFromUrl } from '../rows/query/row-query';
import type { ExportOutcome } from './export-permits';
import {
  type Delimiter,
  DELIMITER_NAMES,
  DELIMITER_VALUES,
  findDelimiter,
} from '../rows/values/delimiter';

/** Output of a row: a line of CSV, its values as JSON, or the whole row as JSON. */
export type RowPrint = 'csv' | 'values' | 'row';

/** Options of CSV output. */
export interface CsvStyle {
  readonly delimiter: Delimiter;
  /** Whether to put an apostrophe before text that a spreadsheet would run as a formula. */
  readonly escapeFormulas: boolean;
  /** Whether the file starts with a byte order mark, by which Excel detects UTF-8. */
  readonly bom: boolean;
}

const PLAIN: CsvStyle = { delimiter: 'comma', escapeFormulas: false, bom: false };

/** Parameters of an export. Its query is not yet checked against the columns. */
export interface ExportRequest {
  readonly print: RowPrint;
  readonly style: CsvStyle;
  /** Whether a line after the last row tells that the export is complete. */
  readonly endLine: boolean;
  /** Link columns to print as keys of the linked rows; not yet checked. */
  readonly linkKeys: unknown;
  readonly rowQuery: RowQuery;
}

const FORMATS = ['csv', 'ndjson'] as const;
const SHAPES = ['values', 'row'] as const;
const FLAGS = ['false', 'true'] as const;

/** Reads the parameters of an export from a URL. @throws AppError `invalid_request` */
export function exportRequest(query: Readonly<Record<string, unknown>>): ExportRequest {
  const { format, shape, delimiter, escapeFormulas, bom, endLine, linkKeys, ...others } = query;
  const problems = [
    ...oneOf('format', FORMATS, format),
    ...oneOf('shape', SHAPES, shape),
    ...oneOf('delimiter', DELIMITER_VALUES, delimiter),
    ...oneOf('escapeFormulas', FLAGS, escapeFormulas),
    ...oneOf('bom', FLAGS, bom),
    ...oneOf('endLine', FLAGS, endLine),
  ];
  const style = {
    delimiter: (typeof delimiter === 'string' ? findDelimiter(delimiter) : null) ?? PLAIN.delimiter,
    escapeFormulas: escapeFormulas === 'true',
    bom: bom === 'true',
  };
  const isCsv = format === 'csv';
  for (const name of ['delimiter', 'escapeFormulas', 'bom'] as const) {
    if (isCsv || style[name] === PLAIN[name]) continue;
    problems.push({ field: name, code: 'incompatible_parameters', message: 'requires format=csv' });
  }
  if (isCsv && shape === 'row') {
    problems.push({
      field: 'shape',
      code: 'incompatible_parameters',
      message: 'must be values with format=csv',
    });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  const json = shape === 'row' ? 'row' : 'values';
  return {
    print: isCsv ? 'csv' : json,
    style,
    endLine: endLine === 'true',
    linkKeys,
    rowQuery: rowQueryFromUrl(others).rowQuery,
  };
}

function oneOf(field: string, choices: readonly string[], value: unknown): FieldError[] {
  if (value === undefined || choices.some((choice) => choice === value)) return [];
  if (Array.isArray(value)) {
    return [{ field, code: 'duplicate_parameter', message: 'must be given at most once' }];
  }
  const names = choices.filter((choice) => /\w/.test(choice));
  return [{ field, code: 'not_a_choice', message: `must be ${names.join(' or ')}` }];
}

/** Query parameters of an export, for the OpenAPI document. */
export const EXPORT_PARAMETERS: readonly Parameter[] = [
  {
    name: 'format',
    required: false,
    description:
      'Format of the file. `ndjson`: one JSON object per line. `csv`: a header of column keys, then one line per row.',
    schema: { type: 'string', enum: ['csv', 'ndjson'], default: 'ndjson' },
  },
  {
    name: 'shape',
    required: false,
    description:
      'Content of a line of NDJSON. `values`: the values by column key, as an import reads them. `row`: the whole row with its ID, revision and times. CSV allows only `values`.',
    schema: { type: 'string', enum: ['values', 'row'], default: 'values' },
  },
  {
    name: 'escapeFormulas',
    required: false,
    description:
      'For CSV: whether to put an apostrophe before text that a spreadsheet reads as a formula, which is text that starts with `=`, `+`, `-`, `@`, the full-width form of one of them, a tab, CR or LF. Numbers, dates and JSON do not change. An import does not remove the apostrophes.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'delimiter',
    required: false,
    description: 'For CSV: the delimiter, as its name or as the character itself.',
    schema: { type: 'string', enum: [...DELIMITER_NAMES], default: 'comma' },
  },
  {
    name: 'bom',
    required: false,
    description:
      'For CSV: whether the file starts with a byte order mark, which Excel needs to recognize UTF-8.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'endLine',
    required: false,
    description:
      'Whether the file ends with the line `{"_end":{"rows":N}}`, where N is the number of rows. For clients that cannot read trailers, such as `fetch`: without this line the export is incomplete. The line is not a row.',
    schema: { type: 'boolean', default: false },
  },
  LINK_KEYS_PARAMETER,
  ...ROW_QUERY_PARAMETERS.filter(({ name }) => name !== 'cursor'),
];

/** Trailers of a complete export. */
export const EXPORT_TRAILERS = ['Export-Status', 'Export-Rows'] as const;

/** Releases what an export holds. @param rows Number of rows, if the export was completed. */
export type RowExportEnd = (outcome: ExportOutcome, rows: number) => void;

/** A file of rows: a header, if any, then the parts that `open` yields. */
export class RowExport implements ResponseSource {
  private isClosed = false;
  private outcome: ExportOutcome = 'aborted';
  private rows = 0;

  /**
   * @param endLine Whether a line after the last row has the number of rows. No row prints as this
   *   line: column keys start with a letter, and CSV doubles quotes.
   * @param onRead Called when all rows are read. Some can still wait for the client.
   * @param release Called once.
   */
  constructor(
    private readonly header: string,
    private readonly endLine: boolean,
    private readonly open: () => AsyncGenerator<Buffer, number>,
    private readonly onRead: () => void,
    private readonly release: RowExportEnd,
  ) {}

  async *chunks(): AsyncGenerator<Buffer, Readonly<Record<string, string>>> {
    const lines = this.open();
    // Nothing is sent before the first part is read, so a failure until then is an error response.
    let next = await this.read(lines);
    if (this.header !== '') yield Buffer.from(this.header);
    for (; next.done !== true; next = await this.read(lines)) yield next.value;
    this.rows = next.value;
    this.outcome = 'completed';
    this.onRead();
    if (this.endLine) yield Buffer.from(`{"_end":{"rows":${String(this.rows)}}}\n`);
    return { 'Export-Status': 'complete', 'Export-Rows': String(next.value) };
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.release(this.outcome, this.rows);
  }

  /** Reads the next line. An export that was closed, or whose query costs too much, has not failed. */
  private async read(
    lines: AsyncGenerator<Buffer, number>,
  ): Promise<IteratorResult<Buffer, number>> {
    try {
      return await lines.next();
    } catch (error) {
      const isOfClient = error instanceof AppError && ERROR_STATUS[error.code] < 500;
      if (!this.isClosed && !isOfClient) this.outcome = 'failed';
      throw error;
    }
  }
}
