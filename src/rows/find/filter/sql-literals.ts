import { sqlLiteral } from '../../../platform/database/sql-literal';
import { SqlParameters } from './sql-parameters';

/** Writes values into the text of a statement that takes no parameters. */
export class SqlLiterals extends SqlParameters {
  override add(value: unknown, type: string): string {
    return sqlLiteral(value, type);
  }
}
