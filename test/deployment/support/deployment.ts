import { randomBytes } from 'node:crypto';
import { dataOf } from '../../support/fixture';
import { PacedClient } from './paced-client';

/** Who may send requests, where a key of theirs is given or an operator makes one. */
export type Caller = 'own' | 'viewer' | 'editor' | 'stranger';

const VARIABLES: Readonly<Record<Caller, string>> = {
  own: 'E2E_API_KEY',
  viewer: 'E2E_VIEWER_API_KEY',
  editor: 'E2E_EDITOR_API_KEY',
  stranger: 'E2E_STRANGER_API_KEY',
};

/** What all names of a run begin with; the set-up gives each run its own. */
export const NAME_START = 'e2e-';

export function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

export const keyVariable = (caller: Caller): string => VARIABLES[caller];

export const hasKey = (caller: Caller): boolean => Boolean(process.env[VARIABLES[caller]]);

export const origin = (): string => variable('E2E_BASE_URL');

/** Without a key where none is named. */
export const withKey = (key?: string): PacedClient => new PacedClient(origin(), key);

export const apiOf = (caller: Caller): PacedClient => withKey(variable(VARIABLES[caller]));

/** A name that nobody else has, by which the end of the run finds what is left. */
export function runName(): string {
  return `${variable('E2E_RUN')} ${randomBytes(4).toString('hex')}`;
}

/** Gives the id of a new workspace, which is removed at the end of the run at the latest. */
export async function newWorkspace(): Promise<string> {
  return dataOf(await apiOf('own').post('/workspaces', { name: runName() }), 201).id;
}
