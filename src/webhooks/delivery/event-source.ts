import { Injectable } from '@nestjs/common';
import type { SubscribedType } from '../event-type';
import { RowMatcher, type RunStatement } from '../filter/row-matcher';
import { newMessageId } from '../signature';
import type { Payload } from '../webhook.entity';
import { ChangeLogRepository, type LogEntry, type LogPosition } from './change-log.repository';
import {
  type Deletion,
  hasRows,
  type LanePosition,
  MAX_EVENT_ROWS,
  planEnd,
  type PlannedEvent,
  planEvents,
  rowsToMatch,
} from './event-plan';
import type { WaitingEvent } from './lane.repository';

/** Maximum length of the rows in one event. */
const MAX_EVENT_BYTES = 256 * 1024;

/** Webhook and datagrid whose events are read. */
export interface EventReader {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly datagridId: string;
  readonly events: readonly SubscribedType[];
  readonly payload: Payload;
}

/** The same with the filter of the webhook, which applies to rows that still exist. */
export interface FilteredReader extends EventReader {
  /** Text of a `StoredFilter`; `null` if rows are not filtered. */
  readonly filter: string | null;
}

/** Revisions of rows that match a filter, by id; `null` if rows are not filtered. */
type Matching = ReadonlyMap<number, number> | null;

export interface NextEvents {
  readonly events: readonly WaitingEvent[];
  readonly position: LogPosition;
  readonly isComplete: boolean;
}

/** Makes events of the entries of the change log. */
@Injectable()
export class EventSource {
  constructor(
    private readonly log: ChangeLogRepository,
    private readonly matcher: RowMatcher,
  ) {}

  /**
   * @param run Runs a statement of the main pool.
   * @returns the events after a position; `null` if nothing has changed or the datagrid is purged.
   * @throws as `RowMatcher.match`
   */
  async next(
    reader: FilteredReader,
    from: LanePosition,
    run: RunStatement,
  ): Promise<NextEvents | null> {
    const read = await run(() => this.log.read(reader.datagridId, from));
    if (!read) return null;
    const matching = await this.match(reader, read.entries, run);
    // The datagrid was purged in the meantime.
    if (matching === null && reader.filter !== null) return null;
    const plan = planEvents(from, read, new Set(reader.events), matching);
    const { revision, part } = plan.position;
    if (plan.events.length === 0 && revision === from.revision && part === from.part) return null;
    const rows = await run(() => this.rowsOf(reader, plan.events, matching));
    return {
      events: plan.events.map((event, index) => toWaiting(reader, event, rows.get(index))),
      position: plan.position,
      isComplete: plan.isComplete,
    };
  }

  /** Returns the last events of a datagrid that is purged, for a lane that has not read everything. */
  last(reader: EventReader, from: Omit<LanePosition, 'atMs'>, deletion: Deletion): WaitingEvent[] {
    const events = planEnd(from, deletion, new Set(reader.events));
    return events.map((event) => toWaiting(reader, event, undefined));
  }

  /** @returns `null` if the reader has no filter, or the datagrid is purged. */
  private async match(
    { accountId, datagridId, filter, events }: FilteredReader,
    entries: readonly LogEntry[],
    run: RunStatement,
  ): Promise<Matching> {
    if (filter === null) return null;
    const rowIds = rowsToMatch(entries, new Set(events));
    const checksColumns = entries.some(({ kind }) => kind === 'schema');
    return this.matcher.match({ accountId, datagridId, filter, rowIds, checksColumns }, run);
  }

  /** Returns the printed rows of events by index; none for events that contain only ids. */
  private async rowsOf(
    { accountId, datagridId, payload }: EventReader,
    events: readonly PlannedEvent[],
    matching: Matching,
  ): Promise<ReadonlyMap<number, string | null>> {
    if (payload === 'thin') return new Map();
    const containing = events.flatMap((event, index) => (containsRows(event) ? [index] : []));
    const rows = containing.flatMap((event) =>
      (events[event]?.rowIds ?? []).map((id) => ({
        event,
        id,
        revision: matching?.get(id) ?? null,
      })),
    );
    if (rows.length === 0) return new Map();
    const printed = await this.log.printRows(accountId, datagridId, rows, MAX_EVENT_BYTES);
    // All rows of an event may have been deleted since.
    const none = containing.map((event): [number, string | null] => [event, '']);
    return new Map([
      ...none,
      ...printed.map(({ event, json }): [number, string | null] => [event, json]),
    ]);
  }
}

function toWaiting(
  reader: EventReader,
  event: PlannedEvent,
  rows: string | null | undefined,
): WaitingEvent {
  const { type, fromRevision, revision, atMs } = event;
  const body = printEvent(reader, event, rows);
  const changedAt = new Date(atMs);
  return { messageId: newMessageId(), type, fromRevision, revision, changedAt, body };
}

function containsRows(event: PlannedEvent): boolean {
  return hasRows(event) && event.part === null && event.rowIds.length <= MAX_EVENT_ROWS;
}

/** @param rows Printed rows; `null` or `undefined` if the event contains only ids. */
function printEvent(
  { workspaceId, datagridId, payload }: EventReader,
  event: PlannedEvent,
  rows: string | null | undefined,
): string {
  const { type, fromRevision, revision, rowIds, part, userId, keyId, atMs } = event;
  const head = { workspaceId, datagridId, fromRevision, revision };
  const by = userId === null ? null : { userId, keyId };
  const own = { rowCount: rowIds.length, rowIds, ...(part !== null && { part }) };
  const data = { ...head, ...own, changedBy: by };
  const values =
    hasRows(event) && payload === 'full' ? `,"rows":${rows == null ? 'null' : `[${rows}]`}` : '';
  const timestamp = new Date(atMs).toISOString();
  return `{"type":"${type}","timestamp":"${timestamp}","data":${JSON.stringify(data).slice(0, -1)}${values}}}`;
}
