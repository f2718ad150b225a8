import { applyDecorators, Controller } from '@nestjs/common';

/** The base of the public API, without slashes at its ends. */
export const PUBLIC_API = 'api/v1/public';

/** A controller of the public API, at one or more paths below its base. */
export const PublicApiController = (...paths: string[]): ClassDecorator =>
  applyDecorators(Controller((paths.length === 0 ? [''] : paths).map((path) => join(path))));

function join(path: string): string {
  return path === '' ? PUBLIC_API : `${PUBLIC_API}/${path}`;
}
