/**
 * Numbers that no operator needs to change. `AppConfig` has a property for each, as for a setting.
 * Those that were settings are reported as removed if the environment still has them. This file
 * imports nothing, so that tests can change the numbers of a process before it loads anything else.
 */
export const CONSTANTS = {
  /** Requests that wait for a connection of each pool. Further ones fail at once. */
  databaseMaxWaiting: 500,
  /** Time for which a transaction may hold its locks without a statement. PostgreSQL then ends it. */
  idleTransactionTimeoutMs: 10_000,
  /** Window of `AUTH_FAILURE_LIMIT`. */
  authFailureWindowSeconds: 60,
  /** Window of `SIGN_IN_LIMIT` and `SIGN_IN_ADDRESS_LIMIT`. */
  signInWindowSeconds: 300,
  /** Applications that register from one client address in an hour. */
  clientRegistrationLimit: 20,
  /** Time for the metadata document of an application, from the connection to its last byte. */
  clientDocumentTimeoutMs: 5_000,
  /**
   * Maximum size of the values that an undo or a restoration of deleted rows writes, as JSON
   * (256 MiB). It holds the lock of the datagrid meanwhile.
   */
  maxUndoBytes: 256 * 1024 * 1024,
  /** Minimum number of rows of a datagrid for a columnar copy. */
  columnarMinRows: 50_000,
  /** Pause between two looks at which columnar copies have to be loaded or brought up to date. */
  columnarPauseMs: 1_000,
  /** Time for which the process of the columnar copies is not started again after it has ended. */
  columnarRestartMs: 5_000,
  /**
   * Maximum size of the titles, options and default values of all columns of a datagrid, as JSON, plus
   * 32 bytes for each choice (1 MiB).
   */
  maxColumnMetadataBytes: 1024 * 1024,
  /** Database time of an export with a filter, `q` or `sort`, plus 1 s for each megabyte. */
  exportQueryTimeoutSeconds: 300,
  /**
   * Time that the service waits, in total, for the slow client of an import or export. Bytes earn time
   * back at `MIN_STREAM_BYTES_PER_SECOND`.
   */
  maxStreamStallSeconds: 30,
  /** Time that an endpoint has to respond to a delivery. */
  webhookTimeoutSeconds: 10,
  /** Delays before the retries of a delivery. The last one repeats. */
  webhookRetrySeconds: [5, 30, 300, 1_800, 7_200, 18_000, 36_000],
  /** Time that a sync to a slow destination has if another account waits for its place. */
  slowSyncTurnSeconds: 300,
  /** Attempts to deliver that are kept of one webhook. The oldest are deleted first. */
  maxLoggedDeliveries: 10_000,
  /** Test events of one account in a minute. */
  webhookTestLimit: 30,
  /** Tests of destinations, previews of queries, and documents of applications that are read, each of one account in a minute. */
  connectionTestLimit: 30,
  /** Time after which a test of a destination or a preview fails. */
  connectionTestTimeoutSeconds: 15,
  /** Requested runs of one scheduled import in a minute. */
  scheduledImportRequestLimit: 6,
  /** Delay of the event loop above which the limit of requests in progress for accounts decreases. */
  maxEventLoopDelayMs: 50,
  /** Time in which the headers of a request must arrive. */
  headersTimeoutSeconds: 20,
};

export type Constants = Readonly<typeof CONSTANTS>;

/** Returns the name of a setting from that of its property in `AppConfig`. */
export function settingName(property: string): string {
  return property.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}
