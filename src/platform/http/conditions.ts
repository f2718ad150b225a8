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

/** Reads and validates `If-Match`, and declares the header and the 412 error of the route. */
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

/** Reads `If-None-Match`, for a route that can check the version without reading the data. */
export const IfNoneMatchHeader = createParamDecorator(
  (_: unknown, context: ExecutionContext): IfNoneMatch | undefined =>
    ifNoneMatchOf(headersOf(context)),
);
