/** Collects the parameters of a statement that is put together piece by piece. */
export class SqlParameters {
  readonly values: unknown[];

  /** @param first The parameters that the statement has already: `$1` and those that follow. */
  constructor(...first: unknown[]) {
    this.values = first;
  }

  /** The placeholder of a value, with a cast that tells PostgreSQL its type. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}::${type}`;
  }
}
