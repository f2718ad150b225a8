import { connectionsText } from '../../text/connections-text';
import type { Connection, Deletions, DestinationType, Settings } from './connection';
import type { DestinationDescriptor } from './destination-descriptor';
import {
  defaultValues,
  findDestination,
  isPart,
  settingsOf,
  valuesOf,
  type FieldValues,
} from './destinations';

/** A connection as a user edits it. */
export interface Draft {
  readonly name: string;
  readonly destination: DestinationDescriptor;
  readonly values: FieldValues;
  /** Empty if there is none, or if the saved one stays. */
  readonly secret: string;
  readonly datagridIds: readonly string[] | null;
  /** True if no datagrid is copied, whatever `datagridIds` is. */
  readonly copiesNone: boolean;
  readonly deletions: Deletions;
  readonly isContinuous: boolean;
  /** Minutes between two syncs, as text. */
  readonly minutes: string;
  readonly enabled: boolean;
}

/** Body of a request that tests a destination. */
export interface TestBody {
  readonly type: DestinationType;
  readonly settings: Settings;
  readonly secret?: string;
}

/** Body of a request that creates a connection. */
export interface ConnectionBody extends TestBody {
  readonly name: string;
  readonly datagridIds: readonly string[] | null;
  readonly deletions: Deletions;
  readonly intervalSeconds: number | null;
  readonly enabled: boolean;
}

const MAX_INTERVAL_SECONDS = 604_800;

/** Returns a new connection to a destination. */
export function newDraft(destination: DestinationDescriptor): Draft {
  return {
    name: destination.label,
    destination,
    values: defaultValues(destination),
    secret: '',
    datagridIds: null,
    copiesNone: false,
    deletions: 'delete',
    isContinuous: destination.minMinutes === undefined,
    minutes: '60',
    enabled: true,
  };
}

/** Returns a saved connection for a form. The secret is not known. */
export function draftOf(connection: Connection): Draft {
  const { type, settings, intervalSeconds, name, datagridIds, deletions, enabled } = connection;
  // Settings of an unknown type are not shown, and stay.
  const unknown = { type, label: type, summary: '', fields: [], place: [], deletions: [deletions] };
  const destination = findDestination(type) ?? unknown;
  return {
    name,
    destination,
    values: valuesOf(destination, settings),
    secret: '',
    datagridIds,
    copiesNone: datagridIds?.length === 0,
    deletions,
    isContinuous: intervalSeconds === null,
    minutes: intervalSeconds === null ? '60' : `${intervalSeconds / 60}`,
    enabled,
  };
}

/** Returns what is wrong with the number of minutes; `undefined` if nothing is. */
export function minutesProblem({ isContinuous, minutes, destination }: Draft): string | undefined {
  if (isContinuous) return undefined;
  const { minMinutes = 1 } = destination;
  const seconds = secondsOf(minutes);
  const isValid =
    Number.isInteger(seconds) && seconds >= 60 * minMinutes && seconds <= MAX_INTERVAL_SECONDS;
  return isValid ? undefined : connectionsText.form.noMinutes(minMinutes);
}

const secondsOf = (minutes: string): number =>
  minutes.trim() === '' ? NaN : Math.round(Number(minutes) * 60_000) / 1_000;

export function testBody({ destination, values, secret }: Draft): TestBody {
  const hasSecret = secret !== '' && isPart(destination.secret ?? {}, values);
  return {
    type: destination.type,
    settings: settingsOf(destination, values),
    ...(hasSecret && { secret }),
  };
}

export function createBody(draft: Draft): ConnectionBody {
  const { name, deletions, isContinuous, minutes, enabled } = draft;
  const datagridIds = draft.copiesNone ? [] : draft.datagridIds;
  const intervalSeconds = isContinuous ? null : secondsOf(minutes);
  return { ...testBody(draft), name, datagridIds, deletions, intervalSeconds, enabled };
}

/**
 * Returns what a user has changed, for `PATCH`. Settings are sent as a whole, and only if one of them
 * has changed. An empty secret keeps the saved one; the service requires it again with other settings.
 */
export function changesOf(before: Draft, after: Draft): Partial<ConnectionBody> {
  const [old, next] = [createBody(before), createBody(after)];
  const names = Object.keys(next) as (keyof ConnectionBody)[];
  const changed = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(next[name]));
  return Object.fromEntries(changed.map((name) => [name, next[name]]));
}

const { steps } = connectionsText.wizard;

export const STEPS = [
  { id: 'destination', title: steps.destination },
  { id: 'settings', title: steps.settings },
  { id: 'sync', title: steps.sync },
  { id: 'review', title: steps.review },
] as const;

export type Step = (typeof STEPS)[number]['id'];

/** Returns the first step of the wizard that has one of these fields of the API. */
export function stepOf(fields: readonly string[]): Step {
  const found = fields.map((field): Step => {
    const [name] = field.split('.');
    if (name === 'type') return 'destination';
    if (name === 'name' || name === 'settings' || name === 'secret') return 'settings';
    if (name === 'datagridIds' || name === 'deletions' || name === 'intervalSeconds') return 'sync';
    return 'review';
  });
  return STEPS.find(({ id }) => found.includes(id))?.id ?? 'review';
}

/** Names of the fields of a form for a destination, as errors of the API name them. */
export const fieldNames = ({ fields }: DestinationDescriptor): string[] => [
  'name',
  'secret',
  ...fields.map(({ name }) => `settings.${name}`),
];
