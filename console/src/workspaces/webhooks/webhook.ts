import { webhooksText } from '../../text/webhooks-text';
import type { Tone } from '../status-badge';

/** Shapes of the public API. Dates are RFC 3339 in UTC. */

export type Payload = 'full' | 'thin';

/** A filter of rows, as the API takes it. */
export type RowFilter = Readonly<Record<string, unknown>>;

/** What a user can set. */
export interface WebhookSettings {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  /** `null` for all datagrids of the workspace, also future ones. */
  readonly datagridIds: readonly string[] | null;
  /** `null` if all rows are sent. */
  readonly filter: RowFilter | null;
  readonly payload: Payload;
  readonly enabled: boolean;
}

export interface Webhook extends WebhookSettings {
  readonly id: string;
  readonly status: 'active' | 'failing' | 'disabled';
  readonly disabledReason: 'user' | 'gone' | 'failing' | 'filter' | 'operator' | null;
  readonly lastSuccessAt: string | null;
  readonly lastErrorAt: string | null;
  readonly lastError: string | null;
  readonly consecutiveFailures: number;
  /** Time of the oldest change whose event is being repeated. */
  readonly oldestUndeliveredAt: string | null;
  readonly createdAt: string;
}

/** A webhook after it was created or its secret was rotated. Only then the API returns the secret. */
export interface WebhookWithSecret extends Webhook {
  readonly secret: string;
}

/** One attempt to deliver an event. */
export interface Delivery {
  readonly id: string;
  readonly messageId: string;
  readonly type: string;
  readonly datagridId: string | null;
  readonly revision: number | null;
  readonly attempt: number;
  readonly at: string;
  readonly durationMs: number;
  /** `null` if there was no response. */
  readonly status: number | null;
  /** `null` if the event was delivered. */
  readonly error: string | null;
  /** Beginnings of both bodies. */
  readonly request: string;
  readonly response: string;
}

const EVENT_TYPES = [
  'rows.created',
  'rows.updated',
  'rows.deleted',
  'columns.changed',
  'datagrid.deleted',
  'datagrid.restored',
] as const;

/** Types of events to subscribe to, in the order in which a form lists them. */
export const EVENTS: readonly { readonly type: string; readonly label: string }[] = EVENT_TYPES.map(
  (type) => ({ type, label: webhooksText.events[type] }),
);

export const NEW_WEBHOOK: WebhookSettings = {
  url: '',
  description: '',
  events: EVENTS.map(({ type }) => type),
  datagridIds: null,
  filter: null,
  payload: 'full',
  enabled: true,
};

/** Returns the settings that differ from those of a webhook, for `PATCH`. */
export function changedSettings(
  before: WebhookSettings,
  after: WebhookSettings,
): Partial<WebhookSettings> {
  const names = Object.keys(NEW_WEBHOOK) as (keyof WebhookSettings)[];
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, after[name]]));
}

/** Returns the host and path of an endpoint, which name a webhook in lists and titles. */
export const nameOf = ({ url }: Pick<Webhook, 'url'>): string => url.replace(/^https?:\/\//, '');

/** Returns a filter as a user edits it; empty if there is none. */
export const filterText = (filter: RowFilter | null): string =>
  filter === null ? '' : JSON.stringify(filter, null, 2);

/** Reads a filter that a user has typed. @returns `undefined` if it is not a JSON object. */
export function readFilter(text: string): RowFilter | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as RowFilter) : undefined;
  } catch {
    return undefined;
  }
}

const TONES = { active: 'good', failing: 'bad', disabled: 'neutral' } as const;

export const statusOf = ({ status }: Webhook): { label: string; tone: Tone } => ({
  label: webhooksText.statuses[status],
  tone: TONES[status],
});

/** Returns what is wrong with a webhook and what to do about it; `null` if all is well. */
export function problemOf(webhook: Webhook): string | null {
  const t = webhooksText.problems;
  const { status, disabledReason, lastError, consecutiveFailures } = webhook;
  if (status === 'disabled') return t.reasons[disabledReason ?? 'user'];
  if (status !== 'failing') return null;
  return t.failed(consecutiveFailures, lastError ?? t.unknown);
}

/** Returns the outcome of an attempt in a few words, such as `200` or `No response`. */
export function outcomeOf({ status, error }: Delivery): { label: string; tone: Tone } {
  return {
    label: status === null ? webhooksText.deliveries.noResponse : `${status}`,
    tone: error ? 'bad' : 'good',
  };
}

/** Returns a body with line breaks if it is complete JSON, and unchanged otherwise. */
export function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
