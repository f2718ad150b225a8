/** Where the database is, for connections apart from the pools. */
export class DatabaseUrl {
  constructor(readonly url: string) {}
}
