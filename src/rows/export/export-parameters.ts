import type { Parameter } from '../../platform/http/query';
import { ROW_QUERY_PARAMETERS } from '../find/row-query-parameters';
import { DELIMITER_NAMES } from '../values/delimiter';

/** Query parameters of an export, for the OpenAPI document. */
export const EXPORT_PARAMETERS: readonly Parameter[] = [
  {
    name: 'format',
    required: false,
    description: 'The form of the file: CSV with a header of column keys, or JSON line by line.',
    schema: { type: 'string', enum: ['csv', 'ndjson'], default: 'ndjson' },
  },
  {
    name: 'shape',
    required: false,
    description:
      'What a line of JSON is: the values by column key, as an import reads them, or the whole row with its id, revision and times.',
    schema: { type: 'string', enum: ['values', 'row'], default: 'values' },
  },
  {
    name: 'escapeFormulas',
    required: false,
    description:
      'Whether text of CSV that a spreadsheet would take for a formula (it starts with =, +, -, @, tab, CR or LF) gets an apostrophe before it. Numbers, dates and JSON stay as they are. Without it every value is exact.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'delimiter',
    required: false,
    description: 'The delimiter of CSV, by name or as the character itself.',
    schema: { type: 'string', enum: [...DELIMITER_NAMES], default: 'comma' },
  },
  {
    name: 'bom',
    required: false,
    description:
      'Whether CSV begins with the byte order mark of UTF-8, without which Excel takes it for another encoding.',
    schema: { type: 'boolean', default: false },
  },
  ...ROW_QUERY_PARAMETERS.filter(({ name }) => name !== 'cursor'),
];
