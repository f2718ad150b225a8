/**
 * One SQL statement of the hot path. Its name makes it a prepared statement, so each connection
 * parses and plans it only once. The name must be unique to the text.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}
