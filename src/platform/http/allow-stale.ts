import { SetMetadata } from '@nestjs/common';

const STALE = Symbol('stale');

/** Marks a read-only route that a replica may serve if the request allows stale data. */
export const AllowStale = (): MethodDecorator => SetMetadata(STALE, true);

export function mayBeStale(handler: object): boolean {
  return Reflect.getMetadata(STALE, handler) === true;
}

const DIRECTIVE = /^max-stale(?:\s*=\s*"?(\d{1,9})"?)?$/i;

/**
 * Returns the maximum age in milliseconds that a request allows for its response. The directive is
 * `max-stale=seconds` of `Cache-Control` (RFC 9111, 5.2.1.2).
 * @returns `Infinity` if `max-stale` has no value; 0 if the request allows no stale data or the
 *   directive is invalid.
 */
export function allowedAgeMs(cacheControl: string | undefined): number {
  if (cacheControl === undefined) return 0;
  const directives = cacheControl.split(',').map((directive) => directive.trim());
  if (directives.some((directive) => /^no-(cache|store)$/i.test(directive))) return 0;
  const ages = directives.flatMap((directive) => {
    const match = DIRECTIVE.exec(directive);
    return match ? [match[1] === undefined ? Infinity : Number(match[1]) * 1000] : [];
  });
  return ages.length === 0 ? 0 : Math.min(...ages);
}
