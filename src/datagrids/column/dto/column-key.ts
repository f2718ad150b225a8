import { Matches, ValidateBy } from 'class-validator';
import { notFound } from '../../../common/error/app-error';
import { isListOf } from '../../../common/validation/list-rules';
import { PathParameter } from '../../../platform/http/path-id';
import { COLUMN_KEY } from '../../column-type/column-options';
import { MAX_PREVIOUS_KEYS } from '../previous-key';

export const MAX_KEY_LENGTH = 63;

/** Validates a column key. */
export const IsColumnKey = (): PropertyDecorator =>
  Matches(COLUMN_KEY, {
    message: 'must be a lowercase letter followed by up to 62 letters, digits or underscores',
    context: { code: 'invalid_format' },
  });

/** Validates a list of previous keys: see `releaseKeys`. */
export const IsKeyList = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'keys',
      validator: {
        validate: (value) => isListOf(value, isKey) && value.length <= MAX_PREVIOUS_KEYS,
        defaultMessage: () =>
          `must be a list of 1 to ${String(MAX_PREVIOUS_KEYS)} different column keys`,
      },
    },
    { context: { code: 'invalid_format' } },
  );

function isKey(item: unknown): boolean {
  return typeof item === 'string' && COLUMN_KEY.test(item);
}

/** A malformed key returns 404, as an unknown key does. */
function readColumnKey(text: string): string {
  if (!COLUMN_KEY.test(text)) throw notFound('Column');
  return text;
}

export const ColumnKey = (): ParameterDecorator =>
  PathParameter('key', readColumnKey, { type: 'string', pattern: COLUMN_KEY.source });
