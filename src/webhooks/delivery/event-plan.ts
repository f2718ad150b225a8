import { eventTypeOf, type EventType, GAP, type SubscribedType } from '../event-type';
import type { LogEntry, LogPosition, LogRead } from './change-log.repository';

/** Rows that several gathered entries name together, and rows whose values an event contains. */
export const MAX_EVENT_ROWS = 100;

/** Maximum number of ids in one event. An entry with more rows becomes several events. */
const MAX_EVENT_IDS = 1_000;

/** Events that are prepared at a time, if a single entry has no more. */
const MAX_EVENTS = 8;

/** Place of an event among those of one entry. */
export interface EventPart {
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/** The position of a lane. */
export interface LanePosition extends LogPosition {
  /** Whether the next event is `changes.gap`. */
  readonly hasGap: boolean;
}

/** An event to create from entries of the change log. */
export interface PlannedEvent {
  readonly type: EventType;
  /** Revision before the changes. */
  readonly fromRevision: number;
  /** Revision after the changes. */
  readonly revision: number;
  readonly rowIds: readonly number[];
  /** `null` if the event has all rows of its entries. */
  readonly part: EventPart | null;
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly atMs: number;
}

export interface EventPlan {
  readonly events: readonly PlannedEvent[];
  /** Position after the last entry that was read. */
  readonly position: LogPosition;
  /** Whether the plan reaches the end of the log, as far as it was read. */
  readonly isComplete: boolean;
}

/** Types whose events a filter applies to. The values of deleted rows are gone. */
const FILTERED: ReadonlySet<EventType> = new Set(['rows.created', 'rows.updated']);

/** Returns whether an event contains rows that still exist, as far as they were not deleted since. */
export function hasRows({ type }: Pick<PlannedEvent, 'type'>): boolean {
  return FILTERED.has(type);
}

/** Returns the rows of entries that a filter applies to, each once. */
export function rowsToMatch(
  entries: readonly LogEntry[],
  subscribed: ReadonlySet<SubscribedType>,
): number[] {
  const types = entries.filter(({ kind }) => {
    const type = eventTypeOf(kind);
    return FILTERED.has(type) && subscribed.has(type);
  });
  return [...new Set(types.flatMap(rowIdsOf))];
}

/**
 * Plans the events of the entries after a position. Each entry is one event, or several if it has more
 * than MAX_EVENT_IDS rows. Entries of single rows that wait together are gathered: consecutive ones of
 * one kind and one author, up to 100 rows.
 *
 * If the log does not continue at the position, changes were lost: entries have expired, a replica of
 * an earlier release wrote none, or the log is that of a backup. Then the plan has an event that says
 * so, and continues at the head.
 * @param subscribed Types that the webhook wants. Other entries are skipped.
 * @param matching Rows that match the filter of the webhook, if it has one. Created and updated rows
 *   that do not match are left out before events are gathered or split, and entries without any
 *   others are skipped.
 */
export function planEvents(
  from: LanePosition,
  { head, positionAtMs, entries }: LogRead,
  subscribed: ReadonlySet<SubscribedType>,
  matching: Pick<ReadonlySet<number>, 'has'> | null = null,
): EventPlan {
  const events: PlannedEvent[] = [];
  let position: LogPosition = { revision: from.revision, part: from.part, atMs: from.atMs };
  const isOther = from.atMs !== null && positionAtMs !== null && from.atMs !== positionAtMs;
  if (from.hasGap || isOther || from.revision > head) {
    return gapAfter(events, from.revision, head);
  }
  for (const entry of entries) {
    if (!follows(position, entry)) return gapAfter(events, position.revision, head);
    const type = eventTypeOf(entry.kind);
    const event = subscribed.has(type) ? matchingPart(eventOf(type, entry), matching) : null;
    if (event) {
      const gathered = gather(events.at(-1), event);
      if (!gathered && events.length >= MAX_EVENTS) return { events, position, isComplete: false };
      if (gathered) events[events.length - 1] = gathered;
      else events.push(...partsOf(event));
    }
    const { revision, part, hasMoreParts } = entry;
    const atMs = part === 0 ? entry.atMs : position.atMs;
    position = { revision, part: hasMoreParts ? part : null, atMs };
  }
  const isAtHead = head === from.revision && from.part === null;
  if (entries.length === 0 && !isAtHead) return gapAfter(events, from.revision, head);
  return { events, position, isComplete: position.revision === head && position.part === null };
}

function gapAfter(events: PlannedEvent[], lastRevision: number, head: number): EventPlan {
  const [userId, keyId] = [null, null];
  const revisions = { fromRevision: lastRevision, revision: head };
  const change = { ...revisions, rowIds: [], part: null, userId, keyId };
  const gap: PlannedEvent = { type: GAP, ...change, atMs: Date.now() };
  const position = { revision: head, part: null, atMs: null };
  return { events: [...events, gap], position, isComplete: true };
}

/** The deletion of a datagrid, which is the last entry of its log. */
export interface Deletion {
  readonly head: number;
  /** Time of the deletion, or of the purge if the log does not end with the deletion. */
  readonly atMs: number;
  readonly userId: string | null;
  readonly keyId: string | null;
}

/**
 * Plans the last events of a datagrid that is purged: its deletion, and before it that the changes
 * which have not been read are lost.
 */
export function planEnd(
  { revision, part, hasGap }: Omit<LanePosition, 'atMs'>,
  { head, atMs, userId, keyId }: Deletion,
  subscribed: ReadonlySet<SubscribedType>,
): readonly PlannedEvent[] {
  const isRead = revision === head && part === null;
  const before = isRead ? head : head - 1;
  const isLost = hasGap || revision !== before || (part !== null && !isRead);
  const gap = isLost ? gapAfter([], revision, before).events : [];
  if (isRead || !subscribed.has('datagrid.deleted')) return gap;
  const revisions = { fromRevision: before, revision: head };
  const change = { ...revisions, rowIds: [], part: null, userId, keyId, atMs };
  return [...gap, { type: 'datagrid.deleted', ...change }];
}

/** Returns whether an entry is the one after a position. */
function follows({ revision, part }: LogPosition, entry: LogEntry): boolean {
  if (part !== null) return entry.revision === revision && entry.part === part + 1;
  return entry.part === 0 && entry.revision - entry.revisions === revision;
}

function eventOf(type: SubscribedType, entry: LogEntry): PlannedEvent {
  const { revision, revisions, userId, keyId, atMs } = entry;
  const change = { type, fromRevision: revision - revisions, revision, userId, keyId, atMs };
  return { ...change, rowIds: rowIdsOf(entry), part: null };
}

function rowIdsOf({ rowIds, firstId, rowCount }: LogEntry): readonly number[] {
  if (rowIds !== null) return rowIds;
  return firstId === null ? [] : Array.from({ length: rowCount }, (_, index) => firstId + index);
}

/** @returns `null` if no row of the event matches. */
function matchingPart(
  event: PlannedEvent,
  matching: Pick<ReadonlySet<number>, 'has'> | null,
): PlannedEvent | null {
  if (matching === null || !hasRows(event)) return event;
  const rowIds = event.rowIds.filter((id) => matching.has(id));
  return rowIds.length === 0 ? null : { ...event, rowIds };
}

/** Splits an event with more than MAX_EVENT_IDS rows. */
function partsOf(event: PlannedEvent): PlannedEvent[] {
  const { rowIds } = event;
  const count = Math.ceil(rowIds.length / MAX_EVENT_IDS);
  if (count <= 1) return [event];
  return Array.from({ length: count }, (_, index) => ({
    ...event,
    rowIds: rowIds.slice(index * MAX_EVENT_IDS, (index + 1) * MAX_EVENT_IDS),
    part: { number: index + 1, count },
  }));
}

/** @returns one event for both; `null` if they stay apart. */
function gather(first: PlannedEvent | undefined, next: PlannedEvent): PlannedEvent | null {
  if (first?.type !== next.type || first.userId !== next.userId || first.keyId !== next.keyId) {
    return null;
  }
  if (first.part !== null) return null;
  const count = first.rowIds.length + next.rowIds.length;
  if (first.rowIds.length === 0 || next.rowIds.length === 0 || count > MAX_EVENT_ROWS) return null;
  const rowIds = [...new Set([...first.rowIds, ...next.rowIds])];
  return { ...next, fromRevision: first.fromRevision, rowIds };
}
