import { invalidRequest } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import { DELIMITER_NAMES, DELIMITERS, findDelimiter, type Delimiter } from '../values/delimiter';
import { rowQueryFromUrl, type RowQuery } from '../find/row-query';

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
  readonly rowQuery: RowQuery;
}

const FORMATS = ['csv', 'ndjson'] as const;
const SHAPES = ['values', 'row'] as const;
const FLAGS = ['false', 'true'] as const;

/** Reads the parameters of an export from a URL. @throws AppError `invalid_request` */
export function exportRequest(query: Readonly<Record<string, unknown>>): ExportRequest {
  const { format, shape, delimiter, escapeFormulas, bom, ...others } = query;
  const problems = [
    ...oneOf('format', FORMATS, format),
    ...oneOf('shape', SHAPES, shape),
    ...oneOf('delimiter', [...DELIMITER_NAMES, ...Object.values(DELIMITERS)], delimiter),
    ...oneOf('escapeFormulas', FLAGS, escapeFormulas),
    ...oneOf('bom', FLAGS, bom),
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
  return { print: isCsv ? 'csv' : json, style, rowQuery: rowQueryFromUrl(others) };
}

function oneOf(field: string, choices: readonly string[], value: unknown): FieldError[] {
  if (value === undefined || choices.some((choice) => choice === value)) return [];
  if (Array.isArray(value)) {
    return [{ field, code: 'duplicate_parameter', message: 'must be given at most once' }];
  }
  const names = choices.filter((choice) => /\w/.test(choice));
  return [{ field, code: 'not_a_choice', message: `must be ${names.join(' or ')}` }];
}
