import { applyDecorators } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { JsonResponse } from '../common/envelope/json-response';
import { notFound } from '../common/error/app-error';
import { isUuid } from '../common/text/id';
import { PathParameter } from '../platform/http/path-id';
import { ApiController } from '../platform/routes/api-controller';
import { CONSOLE_API } from '../platform/http/rewrite-console-url';

const readId = (text: string): string => {
  if (!isUuid(text)) throw notFound();
  return text.toLowerCase();
};

/** The `:id` of a user, a key, a session or a datagrid. A malformed id returns 404. */
export const Id = (): ParameterDecorator => PathParameter('id', readId, {});

/** The `:keyId` of a key of a service account. A malformed id returns 404. */
export const KeyId = (): ParameterDecorator => PathParameter('keyId', readId, {});

/** The `:token` of an invite link. */
export const Token = (): ParameterDecorator => PathParameter('token', (text) => text, {});

/** Returns a complete list in the list envelope: one page of any length. */
export function wholeList(items: readonly object[]): JsonResponse {
  const { length } = items;
  const meta = { total: length, page: 1, pageSize: length, totalPages: length === 0 ? 0 : 1 };
  return JsonResponse.printed(JSON.stringify(items), { meta });
}

/** Decorates a controller of the console API, which is not part of the public API. */
export const ConsoleController = (path: string): ClassDecorator =>
  applyDecorators(ApiExcludeController(), ApiController(`${CONSOLE_API}/${path}`));
