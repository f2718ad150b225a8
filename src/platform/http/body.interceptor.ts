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
import { DatabaseGate } from '../database/database-gate';
import { BodyReader } from './body-reader';
import { inDatabasePlace, passesGateFirst } from './database-place';

/**
 * Reads the body after the guards and before the pipes, so that an unknown or rate-limited caller
 * cannot make the service parse. The request then passes the database gate: a slow client must not
 * hold a place there.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  private readonly reader: BodyReader;

  constructor(
    @Inject(AppConfig) config: Pick<AppConfig, 'maxBodyBytes'>,
    @Inject(DatabaseGate) private readonly gate: DatabaseGate,
  ) {
    this.reader = new BodyReader(config.maxBodyBytes);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AppRequest>();
    const response = http.getResponse<Response>();
    const read = async (): Promise<void> => {
      if (request.isBodyParsed) return;
      request.body = await this.reader.read(request, response);
    };
    const { caller } = request;
    const isGated =
      caller !== undefined &&
      request.hasDatabasePlace !== true &&
      passesGateFirst(context.getHandler());
    const handle = (): Observable<unknown> =>
      isGated ? inDatabasePlace(this.gate, caller, response, () => next.handle()) : next.handle();
    return defer(() => from(read())).pipe(switchMap(handle));
  }
}

const SMALL_BODY_BYTES = 16 * 1024;

/** For public routes, which accept short bodies only. */
@Injectable()
export class SmallBodyInterceptor extends BodyInterceptor {
  constructor(@Inject(DatabaseGate) gate: DatabaseGate) {
    super({ maxBodyBytes: SMALL_BODY_BYTES }, gate);
  }
}
