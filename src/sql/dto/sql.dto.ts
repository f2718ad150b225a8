import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min, ValidateBy } from 'class-validator';
import { MayBeAbsent } from '../../common/validation/text-rules';
import type { Parameters } from '../../columnar/user-query';
import { IsSql } from './is-sql';

const MAX_ROWS = 10_000;
/** Rows of a result as JSON when no limit is given. */
export const DEFAULT_SQL_ROWS = 1_000;

const LIMIT_MESSAGE = `must be an integer from 1 to ${MAX_ROWS.toLocaleString('en-US')}`;

const MAX_PARAMETERS = 100;
const NAME = /^[A-Za-z_]\w{0,62}$/;

const MESSAGE = `must be an array, or an object, of up to ${String(MAX_PARAMETERS)} strings, numbers, booleans and nulls`;

/** Validates the parameters of a statement. */
const AreSqlParameters = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'sqlParameters',
      validator: { validate: areParameters, defaultMessage: () => MESSAGE },
    },
    { context: { code: 'wrong_type' } },
  );

function areParameters(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  if (entries.length > MAX_PARAMETERS) return false;
  if (!Array.isArray(value) && !entries.every(([name]) => NAME.test(name))) return false;
  return entries.every(([, parameter]) => isParameter(parameter));
}

function isParameter(value: unknown): boolean {
  if (value === null || typeof value === 'boolean') return true;
  // A larger number has lost digits when it was parsed.
  if (typeof value === 'number') return Number.isSafeInteger(value) || !Number.isInteger(value);
  return typeof value === 'string';
}

/** A statement, and the values of its parameters. */
export class RunSqlDto {
  /**
   * One SELECT of DuckDB, which can read the datagrids of the workspace as tables.
   * @example 'select state, count(*) as airports from airports group by state order by airports desc'
   */
  @IsSql()
  sql!: string;

  /**
   * Values of the parameters of the statement: an array for `?` and `$1`, or an object for `$name`. Each is
   * a string, a number, a boolean or null.
   * @example []
   */
  @ApiPropertyOptional({
    oneOf: [
      { type: 'array', items: {}, maxItems: MAX_PARAMETERS },
      { type: 'object', additionalProperties: true, maxProperties: MAX_PARAMETERS },
    ],
  })
  @MayBeAbsent()
  @AreSqlParameters()
  parameters?: Parameters;

  /**
   * Maximum number of rows to return as JSON. If there are more, `meta.truncated` is true. Files have no
   * limit unless you send one.
   */
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_ROWS,
    default: DEFAULT_SQL_ROWS,
  })
  @MayBeAbsent()
  @Min(1, { message: LIMIT_MESSAGE, context: { code: 'out_of_range' } })
  @Max(MAX_ROWS, { message: LIMIT_MESSAGE, context: { code: 'out_of_range' } })
  @IsInt({ message: LIMIT_MESSAGE, context: { code: 'wrong_type' } })
  limit?: number;

  /**
   * Whether a file of CSV or NDJSON ends with the line `{"_end":{"rows":N}}`, where N is the number of rows.
   * For clients that cannot read trailers: without this line the file is incomplete. With Parquet, `true`
   * returns 400.
   */
  @ApiPropertyOptional({ default: false })
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false', context: { code: 'wrong_type' } })
  endLine?: boolean;
}

/** A table that statements can read. */
export class SqlTableDto {
  /**
   * Name in statements: that of the datagrid in lower case, with `_` in place of other characters. If
   * several names are alike, the newer ones have a number.
   * @example 'airports'
   */
  name!: string;

  /** @example '019aa2f4-0000-7000-8000-000000000000' */
  @ApiProperty({ format: 'uuid', description: 'ID of the datagrid.' })
  datagridId!: string;

  /**
   * Name of the datagrid.
   * @example 'Airports'
   */
  datagridName!: string;
}

/** A column of a result. */
export class SqlColumnDto {
  /**
   * Name of the column. Of several columns with one name, all but the first have a number.
   * @example 'airports'
   */
  name!: string;

  /**
   * Type of DuckDB.
   * @example 'BIGINT'
   */
  type!: string;
}

/** Facts about a result. */
export class SqlMetaDto {
  /** Columns of the result, in order. */
  @ApiProperty({ type: [SqlColumnDto] })
  columns!: SqlColumnDto[];

  /** Revision of each datagrid that was read, by the name of its table. All are from one snapshot. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { airports: 1 },
  })
  revisions!: Record<string, number>;

  /** Whether the result has more rows than `data`. */
  truncated!: boolean;
}
