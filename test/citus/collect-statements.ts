import { Client } from 'pg';

/** `pg`'s names for what a client is asked: a text, or something that holds one. */
type RowQuery = string | { readonly text?: string; readonly name?: string };

export interface Collected {
  readonly text: string;
  /** Of a prepared statement. */
  readonly name: string | undefined;
}

/** Collects every text that this process sends to PostgreSQL, until it is told to stop. */
export function collectStatements(): { readonly found: Map<string, Collected>; stop(): void } {
  const found = new Map<string, Collected>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its client below
  const original = Client.prototype.query;
  const replaced = function (this: Client, ...args: unknown[]): unknown {
    const question = args[0] as RowQuery;
    const { text, name } = typeof question === 'string' ? { text: question } : question;
    if (text !== undefined) found.set(text, { text, name });
    return Reflect.apply(original, this, args);
  };
  Client.prototype.query = replaced as typeof original;
  return {
    found,
    stop: () => {
      Client.prototype.query = original;
    },
  };
}
