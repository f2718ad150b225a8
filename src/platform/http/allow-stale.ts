import { SetMetadata } from '@nestjs/common';

const STALE = Symbol('stale');

/** For a route that only reads, and may be answered by a replica where its request allows that. */
export const AllowStale = (): MethodDecorator => SetMetadata(STALE, true);

export function mayBeStale(handler: object): boolean {
  return Reflect.getMetadata(STALE, handler) === true;
}

const DIRECTIVE = /^max-stale(?:\s*=\s*"?(\d{1,9})"?)?$/i;

/**
 * How old an answer a request allows by `Cache-Control: max-stale=seconds` (RFC 9111, 5.2.1.2), in
 * milliseconds; without a number any age. 0 where it allows none, or says what cannot be read.
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
