import { invalidRequest } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import { questionFromQuery, type Question } from '../find/question';

/** What is printed of a row: a line of CSV, its values as JSON, or all of it as JSON. */
export type RowPrint = 'csv' | 'values' | 'row';

/** What an export is asked for, its question not yet checked against the columns. */
export interface ExportRequest {
  readonly print: RowPrint;
  readonly question: Question;
}

const FORMATS = ['csv', 'ndjson'] as const;
const SHAPES = ['values', 'row'] as const;

/** Reads the parameters of a URL. @throws AppError `invalid_request` */
export function exportRequest(query: Readonly<Record<string, unknown>>): ExportRequest {
  const { format, shape, ...others } = query;
  const problems = [...oneOf('format', FORMATS, format), ...oneOf('shape', SHAPES, shape)];
  if (format === 'csv' && shape === 'row') {
    problems.push({ field: 'shape', code: 'not_possible', message: 'must be values with csv' });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  const json = shape === 'row' ? 'row' : 'values';
  return { print: format === 'csv' ? 'csv' : json, question: questionFromQuery(others) };
}

function oneOf(field: string, choices: readonly string[], value: unknown): FieldError[] {
  if (value === undefined || choices.some((choice) => choice === value)) return [];
  if (Array.isArray(value)) {
    return [{ field, code: 'repeated', message: 'must be given at most once' }];
  }
  return [{ field, code: 'not_a_choice', message: `must be ${choices.join(' or ')}` }];
}
