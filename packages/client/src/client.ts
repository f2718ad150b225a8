import { type AuditEventOptions, type AuditEventPage, auditEventsOf } from './audit-events.ts';
import { Datagrids, type Me, Workspaces } from './resources.ts';
import { withRetries } from './retry.ts';
import { Rows } from './rows.ts';
import type { Values } from './row-types.ts';
import { Sql } from './sql.ts';
import {
  type ApiResponse,
  type Call,
  type CallOptions,
  type ClientOptions,
  Transport,
} from './transport.ts';

export type { AuditEvent, AuditEventOptions, AuditEventPage } from './audit-events.ts';
export { ApiError, ConnectionError, ImportError, SourceError, type ErrorDetail } from './error.ts';
export { type Change, type ChangeOptions, type ChangePage, movedValues } from './changes.ts';
export type { ExportedFile, ExportOptions } from './export.ts';
export type { ImportFile, ImportOptions, ImportSource } from './import.ts';
export type { ImportReport } from './import-report.ts';
export type { PageOptions } from './pages.ts';
export {
  type Column,
  type ColumnChanges,
  type ColumnOptions,
  type ColumnOptionsInput,
  type ColumnType,
  type Datagrid,
  type DatagridChanges,
  type Datagrids,
  type Me,
  type NewColumn,
  newColumnOf,
  type Workspace,
  type WorkspaceChanges,
  type Workspaces,
} from './resources.ts';
export type { Retry } from './retry.ts';
export type {
  BatchOptions,
  DeleteOptions,
  ResultOptions,
  RowListOptions,
  RowPageOptions,
  Rows,
  RowWriteOptions,
} from './rows.ts';
export type {
  AggregateQuery,
  Aggregates,
  BatchResult,
  CursorPage,
  Expand,
  LinkedRows,
  Operation,
  OperationResult,
  Page,
  Row,
  RowHead,
  RowQuery,
  ValueChanges,
  Values,
} from './row-types.ts';
export type {
  Sql,
  SqlFileOptions,
  SqlOptions,
  SqlParameter,
  SqlResult,
  SqlRow,
  SqlTable,
} from './sql.ts';
export type { ApiResponse, Call, CallOptions, ClientOptions, Fetch, Query } from './transport.ts';
export type { UpsertAllOptions, UpsertTotals } from './upsert-all.ts';
export {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhook.ts';

/** Client of the REST API. */
export class Client {
  readonly workspaces: Workspaces;
  readonly datagrids: Datagrids;
  private readonly transport: Transport;

  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
    this.workspaces = new Workspaces(this.transport);
    this.datagrids = new Datagrids(this.transport);
  }

  /** Returns the key of the client, its owner, and its limits. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.transport.data({ ...options, method: 'GET', path: '/me' });
  }

  /** Returns the rows of a datagrid, with the types that `datagrid types` prints. Sends no request. */
  rows<V extends object = Values, Input extends object = V, Replacement extends object = Input>(
    datagridId: string,
  ): Rows<V, Input, Replacement> {
    return new Rows<V, Input, Replacement>(this.transport, datagridId);
  }

  /** Returns SQL over the datagrids of a workspace. Sends no request. */
  sql(workspaceId: string): Sql {
    return new Sql(this.transport, workspaceId);
  }

  /**
   * Yields pages of the audit events of the account, oldest first, up to the last one. Only the key of an owner
   * can read them.
   */
  auditEvents(options: AuditEventOptions = {}): AsyncGenerator<AuditEventPage> {
    return auditEventsOf(this.transport, options);
  }

  /** Sends any request of the API, with the same key, retries and errors as the other calls. */
  request(call: Call): Promise<ApiResponse> {
    return this.transport.request(call);
  }

  /**
   * Runs `work` again after a transient error, as each call does. For work that a call cannot repeat by
   * itself, such as writing an export to a file. Let the calls in `work` have `maxAttempts: 1`.
   * @param mayRepeat Returns whether `work` can be run again. Called after each failure.
   */
  retry<T>(
    work: () => Promise<T>,
    options: Pick<CallOptions, 'signal' | 'maxAttempts'> & {
      readonly mayRepeat?: (() => boolean) | undefined;
    } = {},
  ): Promise<T> {
    const { policy } = this.transport;
    const { maxAttempts = policy.maxAttempts, signal, mayRepeat } = options;
    return withRetries(work, { ...policy, maxAttempts, signal, mayRepeat });
  }
}

/** Creates a client. It keeps no connection and no state. */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}
