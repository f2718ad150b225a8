import { Client } from 'pg';

/** The first parameter of `pg`'s `query`: SQL, or an object that contains it. */
type Statement =
  | string
  | {
      readonly text?: string;
      readonly name?: string;
      readonly values?: readonly unknown[];
      /** Parameters of each execution of a `TextQuery`. */
      readonly valuesOfEach?: readonly (readonly unknown[])[];
    };

export interface Collected {
  readonly text: string;
  /** Name of a prepared statement. */
  readonly name: string | undefined;
  /** Parameters of the last execution. */
  readonly values: readonly unknown[];
}

/** Collects every statement that this process sends to PostgreSQL, until `stop` is called. */
export function collectStatements(): { readonly found: Map<string, Collected>; stop(): void } {
  const found = new Map<string, Collected>();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its client below
  const original = Client.prototype.query;
  const replaced = function (this: Client, ...args: unknown[]): unknown {
    const statement = args[0] as Statement;
    const query = typeof statement === 'string' ? { text: statement } : statement;
    const { text, name, values, valuesOfEach } = query;
    const given = Array.isArray(args[1])
      ? (args[1] as unknown[])
      : (values ?? valuesOfEach?.at(-1) ?? []);
    if (text !== undefined) found.set(text, { text, name, values: given });
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
