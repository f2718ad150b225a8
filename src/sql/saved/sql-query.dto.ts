import { ApiProperty, PartialType } from '@nestjs/swagger';
import { conflict } from '../../common/error/app-error';
import { IsName } from '../../common/validation/text-rules';
import { onDuplicate } from '../../platform/database/database-error';
import { IsSql } from '../dto/is-sql';

/** Maximum number of saved queries of a workspace. */
export const MAX_SQL_QUERIES = 100;

/** A saved query. */
export class SqlQueryDto {
  /**
   * ID of the query: a UUID (version 7) that the service assigns.
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b15'
   */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /**
   * Name. Unique in the workspace, ignoring case.
   * @example 'Airports by state'
   */
  name!: string;

  /**
   * The statement.
   * @example 'select state, count(*) as airports from airports group by state'
   */
  sql!: string;

  /**
   * Time at which the query was created.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  /**
   * Time at which the query last changed.
   * @example '2026-11-21T09:30:00.000Z'
   */
  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** A new saved query. */
export class CreateSqlQueryDto {
  /**
   * Name: 1 to 200 characters after trimming. Unique in the workspace, ignoring case.
   * @example 'Airports by state'
   */
  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsName()
  name!: string;

  /**
   * The statement. It is checked when it runs, not when it is saved.
   * @example 'select state, count(*) as airports from airports group by state'
   */
  @IsSql()
  sql!: string;
}

/** Changes to a saved query. Absent properties keep their values. */
export class UpdateSqlQueryDto extends PartialType(CreateSqlQueryDto, {
  skipNullProperties: false,
}) {}

/** Runs `work`. @throws AppError `conflict` if two saved queries of the workspace would have one name. */
export function withFreeSqlQueryName<T>(work: () => Promise<T>): Promise<T> {
  const message = 'is already used by another saved query of this workspace';
  const taken = (): Error =>
    conflict(`name: ${message}`, [{ field: 'name', code: 'duplicate', message }]);
  return onDuplicate('sql_queries_name', taken, work);
}
