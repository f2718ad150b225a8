import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { StaleReads } from '../database/replica/stale-reads';
import { allowedAgeMs, mayBeStale } from './allow-stale';

/**
 * Lets a replica serve requests that allow stale data, and reports it in the `Age` header. Used
 * only if there is a replica. Runs after the guards, whose reads are never stale.
 */
export class StaleReadInterceptor implements NestInterceptor {
  constructor(private readonly reads: StaleReads) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const allowedMs = allowedAgeMs(http.getRequest<Request>().headers['cache-control']);
    if (allowedMs === 0 || !mayBeStale(context.getHandler())) return next.handle();
    return defer(async () => {
      const { result, ageMs } = await this.reads.allow<unknown>(allowedMs, () =>
        lastValueFrom<unknown>(next.handle()),
      );
      if (ageMs !== null) {
        http.getResponse<Response>().setHeader('Age', String(Math.ceil(ageMs / 1000)));
      }
      return result;
    });
  }
}
