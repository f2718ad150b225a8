import { Client } from 'pg';

/** The first parameter of `pg`'s `query`: SQL, or an object that contains it. */
type Statement = string | { readonly text?: string; readonly name?: string };

export interface Collected {
  readonly text: string;
  /** Name of a prepared statement. */
  readonly name: string | undefined;
}

/** Collects every statement that this process sends to PostgreSQL, until `stop` is called. */
export function collectStatements(): { readonly found: Map<string, Collected>; stop(): void } {
  const found = new Map<string, Collected>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its client below
  const original = Client.prototype.query;
  const replaced = function (this: Client, ...args: unknown[]): unknown {
    const statement = args[0] as Statement;
    const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
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
