import { notFound } from '../common/error/app-error';
import { isUuid } from '../common/text/id';
import { ColumnKey } from '../datagrids/column/column-key';
import { PathParameter } from '../platform/http/path-id';

const readId = (text: string): string => {
  if (!isUuid(text)) throw notFound();
  return text.toLowerCase();
};

/** The `:id` of a user, a key, a session or a datagrid. A malformed id returns 404. */
export const Id = (): ParameterDecorator => PathParameter('id', readId, {});

/** The `:token` of an invite link. */
export const Token = (): ParameterDecorator => PathParameter('token', (text) => text, {});

/** The `:name` of an asset. */
export const AssetName = (): ParameterDecorator => PathParameter('name', (text) => text, {});

/**
 * The `:key` of a column. Exported here because the controllers import no parameters of other
 * modules.
 */
export { ColumnKey };
