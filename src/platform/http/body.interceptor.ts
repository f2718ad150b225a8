import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { defer, from, switchMap, type Observable } from 'rxjs';
import type { AppRequest } from '../../common/caller/app-request';
import { AppConfig } from '../config/app-config';
import { BodyReader } from './body-reader';

/**
 * Reads the body between the guards and the pipes, so that an unknown or exhausted caller
 * cannot make the service parse.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  private readonly reader: BodyReader;

  constructor(@Inject(AppConfig) config: Pick<AppConfig, 'bodyLimitBytes'>) {
    this.reader = new BodyReader(config.bodyLimitBytes);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AppRequest>();
    const read = async (): Promise<void> => {
      request.body = await this.reader.read(request, http.getResponse<Response>());
    };
    return defer(() => from(read())).pipe(switchMap(() => next.handle()));
  }
}

const SMALL_BODY_BYTES = 16 * 1024;

/** For routes that anybody may call: what they take is short. */
@Injectable()
export class SmallBodyInterceptor extends BodyInterceptor {
  constructor() {
    super({ bodyLimitBytes: SMALL_BODY_BYTES });
  }
}
