/** Collects the parameters of a statement that is built in parts. */
export class SqlParameters {
  readonly values: unknown[];

  /** @param first Parameters that the statement already has, starting at `$1`. */
  constructor(...first: unknown[]) {
    this.values = first;
  }

  /** Adds a value and returns its placeholder, with a cast to its PostgreSQL type. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}::${type}`;
  }
}
