import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AppRequest } from '../../common/caller/app-request';
import type { Caller } from '../../common/caller/caller';

/** The caller that the caller guard has admitted. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<AppRequest>();
    if (!caller) throw new Error('A public route has no caller.');
    return caller;
  },
);
