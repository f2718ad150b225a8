import { AppError } from '../../common/error/app-error';
import type { Response } from 'express';
import { Observable } from 'rxjs';
import type { Caller } from '../../common/caller/app-request';
import type { DatabaseGate } from '../database/database-gate';
import type { Release } from '../fairness/account-semaphore';

const enteredInService = new WeakSet<object>();

/**
 * Marks a route whose service enters the database gate itself when it uses the main pool, so that
 * no interceptor enters it before the handler. For routes that stream, batch writes of several
 * requests, or may use other connections.
 */
export const EnterGateInService =
  (): MethodDecorator =>
  <T>(_prototype: object, _method: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    enteredInService.add(descriptor.value as object);
  };

/** Returns whether requests of a handler enter the gate before the handler runs. */
export const entersGateBeforeHandler = (handler: object): boolean => !enteredInService.has(handler);

/**
 * Runs the rest of a request with a permit of the database gate. It subscribes directly,
 * which is cheaper than four rxjs operators.
 */
export function withDatabasePermit(
  gate: DatabaseGate,
  { accountId }: Caller,
  response: Response,
  work: () => Observable<unknown>,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const begin = (release: Release): void => {
      subscriber.add(release);
      work().subscribe(subscriber);
    };
    const release = gate.tryEnter(accountId);
    if (release) {
      begin(release);
      return;
    }
    gate
      .enter(accountId)
      .then((acquired) => {
        if (!response.destroyed) begin(acquired);
        else {
          acquired();
          // The client disconnected while its request was waiting: do not start the work.
          throw new AppError('request_timeout', 'The client closed the connection.');
        }
      })
      .catch((error: unknown) => {
        subscriber.error(error);
      });
  });
}
