import { readFeed } from './feed.ts';
import type { CallOptions, Transport } from './transport.ts';

const MAX_LIMIT = 1_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** An action in the account, and who performed it. */
export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  /** Name of the action, such as `key_created`. Names can be added. */
  readonly action: string;
  readonly by: {
    /** `key`, `application`, `console`, `link`, `scim`, `operator`, `service` or `nobody`. */
    readonly via: string;
    readonly userId: string | null;
    readonly email: string | null;
    readonly keyId: string | null;
    readonly keyName: string | null;
  };
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null };
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | null;
}

/** Events to store, and the cursor to store with them. */
export interface AuditEventPage {
  readonly events: readonly AuditEvent[];
  /** Pass it as `cursor` to continue after this page. */
  readonly cursor: string;
  /** Whether everything has been read. */
  readonly isUpToDate: boolean;
  /**
   * Whether this is the first page from the beginning, because there was no cursor or it has expired. Then
   * drop the events whose `id` you have.
   */
  readonly isRestart: boolean;
}

export interface AuditEventOptions extends CallOptions {
  /** Cursor of the last page that was stored; without it, begins with the oldest event that is kept. */
  readonly cursor?: string | null | undefined;
  /** Events on a page, up to 1,000, which is the default. */
  readonly limit?: number | undefined;
}

/** Yields pages of the audit events of the account, each event once, up to the last one. */
export async function* auditEventsOf(
  transport: Transport,
  { cursor, limit = MAX_LIMIT, signal, maxAttempts }: AuditEventOptions,
): AsyncGenerator<AuditEventPage> {
  const feed = {
    ...{ cursor, query: { limit }, follow: false, signal, maxAttempts },
    timeoutMs: REQUEST_TIMEOUT_MS,
  };
  for await (const page of readFeed<AuditEvent>(transport, '/audit-events/feed', feed)) {
    const { items, ...place } = page;
    yield { events: items, ...place };
  }
}
