import type { ChangeKind } from '../datagrids/change-log/datagrid-change.entity';

/** Types of events that a webhook can subscribe to. Names are added but never changed. */
export const SUBSCRIBED_TYPES = [
  'rows.created',
  'rows.updated',
  'rows.deleted',
  'columns.changed',
  'datagrid.deleted',
  'datagrid.restored',
] as const;

export type SubscribedType = (typeof SUBSCRIBED_TYPES)[number];

/** Every webhook gets this event if changes were lost: the endpoint has to read the rows again. */
export const GAP = 'changes.gap';

/** Sent by the test route only. */
export const TEST = 'webhook.test';

export type EventType = SubscribedType | typeof GAP | typeof TEST;

export const EVENT_TYPES: readonly EventType[] = [...SUBSCRIBED_TYPES, GAP, TEST];

const TYPES: Readonly<Record<ChangeKind, SubscribedType>> = {
  create: 'rows.created',
  update: 'rows.updated',
  delete: 'rows.deleted',
  schema: 'columns.changed',
  trashed: 'datagrid.deleted',
  restored: 'datagrid.restored',
};

/** Returns the type of the event of an entry of the change log. */
export function eventTypeOf(kind: ChangeKind): SubscribedType {
  return TYPES[kind];
}
