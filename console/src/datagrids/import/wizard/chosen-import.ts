import type { CheckResult, CheckTask } from '../plan/check';

/** A file, what the user chose for it, and the outcome of its check. */
export interface ChosenImport extends CheckTask {
  readonly check: CheckResult;
  /** Name of the datagrid, if the import creates one. */
  readonly name: string;
  /** Whether the datagrid keeps history from now on, so that the import can be undone. */
  readonly turnsHistoryOn: boolean;
  /** Idempotency key. */
  readonly key: string;
}
