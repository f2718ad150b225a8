import type { JsonValue } from '../datagrid';

/** One request to the public API, independent of a language. */
export interface ApiCall {
  /** Purpose. */
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** URL without the query. */
  readonly url: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  /** Reads the version first, and changes only that version. */
  readonly isConditional?: boolean;
  /** Name of a file to send. */
  readonly sends?: string;
  /** Name of a file to save the response to. */
  readonly saves?: string;
}

export type Language = 'curl' | 'TypeScript' | 'Python';

/** Environment variable with the key, so that no program contains it. */
export const KEY_VARIABLE = 'DATAGRID_API_KEY';
