import type { Parameter } from '../../platform/http/query';
import { MAX_SEARCH_CHARACTERS } from './filter/search-length';

/** Query parameters of a row list, in addition to `page` and `limit`, for the OpenAPI document. */
export const ROW_QUERY_PARAMETERS: readonly Parameter[] = [
  {
    name: 'filter',
    required: false,
    description:
      'What rows must meet, as JSON by column key, such as {"status":"paid","amount":{"$gte":10}}.',
    schema: { type: 'string' },
  },
  {
    name: 'sort',
    required: false,
    description:
      'Up to four columns, a minus for the greatest first, such as -amount,customer. Rows without a value come last; ties go by id.',
    schema: { type: 'string' },
  },
  {
    name: 'fields',
    required: false,
    description: 'The columns to give, such as amount,customer; all where absent.',
    schema: { type: 'string' },
  },
  {
    name: 'q',
    required: false,
    description: 'Text to be found in any text column, ignoring case.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_CHARACTERS },
  },
  {
    name: 'cursor',
    required: false,
    description:
      'Instead of page: empty for the first rows, then what meta.nextCursor said. A row whose sort values stay as they are is given exactly once, whatever is written meanwhile.',
    schema: { type: 'string' },
  },
];
