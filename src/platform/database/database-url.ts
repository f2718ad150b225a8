/** URL of PostgreSQL itself, bypassing any pooler, for connections outside the pools. */
export class DatabaseUrl {
  constructor(readonly url: string) {}
}
