/** Where PostgreSQL itself is, past any pooler, for connections apart from the pools. */
export class DatabaseUrl {
  constructor(readonly url: string) {}
}
