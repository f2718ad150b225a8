import { applyDecorators, Controller } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CONSOLE_API } from '../platform/http/rewrite-console-url';

/** A controller of the console's own calls, which are no part of the public API. */
export const ConsoleController = (path: string): ClassDecorator =>
  applyDecorators(ApiExcludeController(), Controller(`${CONSOLE_API}/${path}`));
