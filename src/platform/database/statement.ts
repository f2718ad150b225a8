/**
 * One SQL statement of the hot path. It has a name because that makes it a prepared statement: a
 * connection parses and plans it once, and what is run most is spared that each time. The name must be unique to the text.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
}
