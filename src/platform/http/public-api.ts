import { applyDecorators, Controller } from '@nestjs/common';

/** Base path of the public API, without leading or trailing slash. */
export const PUBLIC_API = 'api/v1/public';

/** Declares a controller of the public API at one or more paths below its base. */
export const PublicApiController = (...paths: string[]): ClassDecorator =>
  applyDecorators(Controller((paths.length === 0 ? [''] : paths).map((path) => join(path))));

function join(path: string): string {
  return path === '' ? PUBLIC_API : `${PUBLIC_API}/${path}`;
}
