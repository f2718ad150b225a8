import type { Parameter } from '../../platform/http/query';
import { QUESTION_PARAMETERS } from '../find/question-parameters';

/** The parameters of an export, for the API description. */
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
  ...QUESTION_PARAMETERS.filter(({ name }) => name !== 'cursor'),
];
