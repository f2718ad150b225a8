import { AppError } from '../../common/error/app-error';
import type { Response } from 'express';
import { Observable } from 'rxjs';
import type { Caller } from '../../common/caller/caller';
import type { DatabaseGate } from '../database/database-gate';
import type { Release } from '../fairness/account-semaphore';

const later = new WeakSet<object>();
const own = new WeakSet<object>();

/**
 * Marks a route whose service passes the database gate itself when it uses the main pool: the route
 * streams, batches writes of several requests, or may use other connections.
 */
export const PassesDatabaseGate =
  (): MethodDecorator =>
  <T>(_prototype: object, _method: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    own.add(descriptor.value as object);
  };

/**
 * Registers that requests of a handler have a body, so that they pass the gate after it is
 * received.
 */
export function enterAfterBody(handler: object): void {
  later.add(handler);
}

/** Whether requests of a handler pass the gate before the handler runs, with or without a body. */
export const passesGateFirst = (handler: object): boolean => !own.has(handler);

/** Whether requests of a handler pass the gate at once, without receiving a body first. */
export const passesGateAtOnce = (handler: object): boolean =>
  !own.has(handler) && !later.has(handler);

/**
 * Runs the rest of a request while it holds a place at the database gate. It subscribes directly,
 * which is cheaper than four rxjs operators.
 */
export function inDatabasePlace(
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
