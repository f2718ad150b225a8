/**
 * One SQL statement of the hot way. Its name makes it a prepared statement: a connection
 * parses and plans it once. The name must be unique to the text.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}
