import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { accessOf, PUBLIC_API } from '../http/access';
import { RequestInterceptor, needsRequestInterceptor } from './request.interceptor';

/** Declares a controller of the public API at one or more paths below its base. */
export const PublicApiController = (...paths: string[]): ClassDecorator =>
  ApiController((paths.length === 0 ? [''] : paths).map((path) => join(path)));

const join = (path: string): string => (path === '' ? PUBLIC_API : `${PUBLIC_API}/${path}`);

/**
 * Declares a controller whose routes have the request interceptor, except those that do not need
 * it: Nest takes several microseconds for each interceptor of a request.
 */
export const ApiController = (paths: string | string[]): ClassDecorator =>
  applyDecorators(Controller(paths), interceptRequests);

// Decorators of a class run after those of its methods, which say what a route needs.
function interceptRequests({ prototype }: { readonly prototype: object }): void {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  for (const [name, descriptor] of methods) {
    const handler = descriptor.value as object;
    if (accessOf(handler) === null || !needsRequestInterceptor(handler)) continue;
    UseInterceptors(RequestInterceptor)(prototype, name, descriptor);
  }
}
