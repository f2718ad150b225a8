import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IfMatch } from '../common/conditional/if-match';
import { RequireScimToken } from '../platform/http/access';
import { SCIM_API } from '../platform/http/error-form';
import { PathParameter } from '../platform/http/path-id';
import { AnyQuery } from '../platform/http/query';
import { requestOf } from '../platform/load/exchange';
import { ApiController, EnterGateInService } from '../platform/routes/api-controller';
import { readQuery, type ScimRequest } from './scim-request';

/** Declares a controller of SCIM, which is not part of the public API and has its own documents. */
export const ScimController = (path = ''): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    ApiController(path === '' ? SCIM_API : `${SCIM_API}/${path}`),
  );

/**
 * Marks a route that needs a SCIM token, and ignores query parameters that it does not know. Its service enters the
 * database gate: a change waits for other processes after its transaction, and a list uses other connections.
 */
export const ScimRoute = (): MethodDecorator =>
  applyDecorators(RequireScimToken(), AnyQuery(), EnterGateInService());

/** The `:id` of a resource, a resource type or a schema. */
export const ScimId = (): ParameterDecorator => PathParameter('id', (text) => text, {});

/** The query, the preconditions and the URL of a request. */
export const CurrentScimRequest = createParamDecorator(
  (_: unknown, context: ExecutionContext): ScimRequest => {
    const { protocol, host, query, url, method, headers } = requestOf(context);
    const isRead = method === 'GET' || method === 'HEAD';
    return {
      base: `${protocol}://${host}/${SCIM_API}`,
      query: readQuery(query, url),
      ifMatch: isRead ? IfMatch.ANY : IfMatch.parse(headers['if-match'], headers['if-none-match']),
    };
  },
);
