import { randomBytes } from 'node:crypto';
import { dataOf } from '../../support/fixture';
import { PacedClient } from './paced-client';

/** Callers of the tests. Each needs a key, which is set in the environment or created. */
export type Caller = 'own' | 'viewer' | 'editor' | 'otherAccount';

const VARIABLES: Readonly<Record<Caller, string>> = {
  own: 'E2E_API_KEY',
  viewer: 'E2E_VIEWER_API_KEY',
  editor: 'E2E_EDITOR_API_KEY',
  otherAccount: 'E2E_OTHER_ACCOUNT_API_KEY',
};

/** Start of the names of all runs. The setup adds a random part for each run. */
export const NAME_START = 'e2e-';

export function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

export const keyVariable = (caller: Caller): string => VARIABLES[caller];

export const hasKey = (caller: Caller): boolean => Boolean(process.env[VARIABLES[caller]]);

export const origin = (): string => variable('E2E_BASE_URL');

/** Returns a client with this key, or without a key. */
export const withKey = (key?: string): PacedClient => new PacedClient(origin(), key);

export const apiOf = (caller: Caller): PacedClient => withKey(variable(VARIABLES[caller]));

/** Returns a unique name, by which the teardown finds what the run has created. */
export function runName(): string {
  return `${variable('E2E_RUN')} ${randomBytes(4).toString('hex')}`;
}

/** Creates a workspace and returns its id. The teardown deletes it. */
export async function newWorkspace(): Promise<string> {
  return dataOf(await apiOf('own').post('/workspaces', { name: runName() }), 201).id;
}
