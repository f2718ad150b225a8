import { notFound } from '../../common/error/app-error';
import { PathParameter } from '../../platform/http/path-id';

/** A lowercase letter, then up to 62 letters, digits and underscores. */
export const COLUMN_KEY = /^[a-z][a-zA-Z0-9_]{0,62}$/;

/** A malformed key returns 404, as an unknown key does. */
function readColumnKey(text: string): string {
  if (!COLUMN_KEY.test(text)) throw notFound('Column');
  return text;
}

export const ColumnKey = (): ParameterDecorator =>
  PathParameter('key', readColumnKey, { type: 'string', pattern: COLUMN_KEY.source });
