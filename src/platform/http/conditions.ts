import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { AppRequest } from '../../common/caller/app-request';
import { IfMatch } from '../../common/conditional/if-match';
import type { IfNoneMatch } from '../../common/conditional/if-none-match';
import { ifNoneMatchOf } from './accepted-encodings';
import { ApiErrors } from './answers';

const headersOf = (context: ExecutionContext): AppRequest['headers'] =>
  context.switchToHttp().getRequest<AppRequest>().headers;

const readIfMatch = createParamDecorator((_: unknown, context: ExecutionContext): IfMatch =>
  IfMatch.parse(headersOf(context)['if-match']),
);

/** `If-Match`, checked; the route may answer 412, and is described so. */
export const IfMatchHeader = (): ParameterDecorator => (prototype, method, index) => {
  readIfMatch()(prototype, method, index);
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
  ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'The `ETag` that was read: where it has moved on, the answer is 412 and nothing changes. Several in a list, or `*` for any.',
    schema: { type: 'string', example: '"4-1"' },
  })(prototype, method ?? '', descriptor);
  ApiErrors('precondition_failed')(prototype, method ?? '', descriptor);
};

/** `If-None-Match`, for a read that can tell without reading whether it still holds. */
export const IfNoneMatchHeader = createParamDecorator(
  (_: unknown, context: ExecutionContext): IfNoneMatch | undefined =>
    ifNoneMatchOf(headersOf(context)),
);
