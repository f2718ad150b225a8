import type { JsonValue } from '../datagrid';

/** One call of the public API, before it is written in some language. */
export interface ApiCall {
  /** What it does. */
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without the query. */
  readonly url: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  /** Reads the version of what it changes first, and changes no other. */
  readonly isConditional?: boolean;
  /** A file that is sent as it is. */
  readonly sends?: string;
  /** A file that the answer goes into. */
  readonly saves?: string;
}

export type Language = 'curl' | 'TypeScript' | 'Python';

/** The environment's variable with the key: it never stands in a program. */
export const KEY_VARIABLE = 'DATAGRID_API_KEY';
