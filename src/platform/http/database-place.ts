import { AppError } from '../../common/error/app-error';
import type { Response } from 'express';
import { Observable } from 'rxjs';
import type { Caller } from '../../common/caller/caller';
import type { DatabaseGate } from '../database/database-gate';
import type { Release } from '../fairness/account-semaphore';

const later = new WeakSet<object>();
const own = new WeakSet<object>();

/**
 * For a route whose service passes the database gate by itself, where it uses the main pool: it
 * streams, gathers writes of several requests, or may use other connections.
 */
export const PassesDatabaseGate =
  (): MethodDecorator =>
  <T>(_prototype: object, _method: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    own.add(descriptor.value as object);
  };

/** Notes that a handler's requests have a body, so that they pass the gate once it is there. */
export function enterAfterBody(handler: object): void {
  later.add(handler);
}

/** Whether a handler's requests pass the gate before their handler runs, body or not. */
export const passesGateFirst = (handler: object): boolean => !own.has(handler);

/** Whether nothing of a handler's requests has to be received before they pass the gate. */
export const passesGateAtOnce = (handler: object): boolean =>
  !own.has(handler) && !later.has(handler);

/**
 * Does the rest of a request's work while it has a place at the database gate. It subscribes by hand,
 * which is cheaper than four operators of rxjs.
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
          // Nothing begins for a client that has hung up while its request was waiting.
          throw new AppError('request_timeout', 'The client closed the connection.');
        }
      })
      .catch((error: unknown) => {
        subscriber.error(error);
      });
  });
}
