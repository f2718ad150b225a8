import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

const STALE = Symbol('stale');

/**
 * Marks a read-only route that a replica may serve if the request allows stale data, and declares
 * the request header.
 */
export const AllowStale = (): MethodDecorator =>
  applyDecorators(
    SetMetadata(STALE, true),
    ApiHeader({
      name: 'Cache-Control',
      required: false,
      description:
        '`max-stale=5` lets a read replica serve the request if its data is at most 5 seconds old. Without a number, `max-stale` allows any age. Ignored if the installation has no read replica.',
      schema: { type: 'string' },
    }),
  );

/** Returns whether a replica may serve requests of a handler. */
export function allowsStale(handler: object): boolean {
  return Reflect.getMetadata(STALE, handler) === true;
}
