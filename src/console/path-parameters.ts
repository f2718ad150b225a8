import { notFound } from '../common/error/app-error';
import { isUuid } from '../common/text/id';
import { PathParameter } from '../platform/http/path-id';

const readId = (text: string): string => {
  if (!isUuid(text)) throw notFound();
  return text.toLowerCase();
};

/** The `:id` of a user, a key or a session; what is no id names nothing. */
export const Id = (): ParameterDecorator => PathParameter('id', readId, {});

/** The `:token` of an invite's link. */
export const Token = (): ParameterDecorator => PathParameter('token', (text) => text, {});

/** The `:name` of a file that pages load. */
export const AssetName = (): ParameterDecorator => PathParameter('name', (text) => text, {});

/** The `:key` of a column. */
export const Key = (): ParameterDecorator => PathParameter('key', (text) => text, {});
