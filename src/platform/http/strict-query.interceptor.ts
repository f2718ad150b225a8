import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { AppRequest } from '../../common/caller/app-request';
import { invalidRequest } from '../../common/error/app-error';
import { acceptedParameters } from './accepted-parameters';

/** Refuses query parameters that a route does not take: a misspelt one must not be ignored. */
@Injectable()
export class StrictQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const names = Object.keys(context.switchToHttp().getRequest<AppRequest>().query);
    if (names.length > 0) this.check(names, acceptedParameters(context.getHandler()));
    return next.handle();
  }

  private check(names: readonly string[], accepted: readonly string[]): void {
    const unknown = names.filter((name) => !accepted.includes(name));
    if (unknown.length === 0) return;
    const [code, message] = ['unknown_parameter', 'is not a parameter here'];
    throw invalidRequest(unknown.map((field) => ({ field, code, message })));
  }
}
