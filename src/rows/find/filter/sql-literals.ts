import { sqlLiteral } from '../../../platform/database/sql-literal';
import { SqlParameters } from './sql-parameters';

/** Puts values into the statement itself, where it takes no parameters. */
export class SqlLiterals extends SqlParameters {
  override add(value: unknown, type: string): string {
    return sqlLiteral(value, type);
  }
}
