import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { StaleReads } from '../database/replica/stale-reads';
import { allowsStale } from './allow-stale';
import { requestOf, responseOf } from '../load/exchange';

/**
 * Lets a replica serve requests that allow stale data, and reports it in the `Age` header. Used
 * only if there is a replica. Runs after the guards, whose reads are never stale.
 */
export class StaleReadInterceptor implements NestInterceptor {
  constructor(private readonly reads: StaleReads) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const allowedMs = allowedAgeMs(requestOf(context).headers['cache-control']);
    if (allowedMs === 0 || !allowsStale(context.getHandler())) return next.handle();
    return defer(async () => {
      const { result, ageMs } = await this.reads.allow<unknown>(allowedMs, () =>
        lastValueFrom<unknown>(next.handle()),
      );
      if (ageMs !== null) {
        responseOf(context).setHeader('Age', String(Math.ceil(ageMs / 1000)));
      }
      return result;
    });
  }
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
