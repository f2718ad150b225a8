import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';

/** Notifies listeners in this process of changes of datagrids, after each commit. */
@Injectable()
export class ChangeSignal {
  private readonly listeners = new Set<(datagridId: string) => void>();

  constructor(private readonly database: Database) {}

  /** Calls `listener` after each change that this process commits. It must return at once. */
  listen(listener: (datagridId: string) => void): void {
    this.listeners.add(listener);
  }

  /**
   * Signals a change. Inside a transaction, waits for its commit. If the change is rolled back to a
   * savepoint, the signal is sent nevertheless.
   */
  send(datagridId: string): void {
    this.database.onCommit(() => {
      for (const listener of this.listeners) listener(datagridId);
    });
  }
}
