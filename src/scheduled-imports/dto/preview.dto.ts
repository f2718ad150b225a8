import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MayBeAbsent } from '../../common/validation/text-rules';
import { COLUMN_TYPE_NAMES, type ColumnType } from '../../datagrids/column-type/column-type';
import {
  IsColumnMapping,
  IsDatagridId,
  IsKeyColumns,
  IsQuery,
  IsTable,
  KEY_COLUMNS,
  MAPPING,
  MAX_QUERY_LENGTH,
  MAX_TABLE_LENGTH,
} from './scheduled-import-rules';

/** A query to try. */
export class PreviewRequestDto {
  /** One SELECT statement. Either `query` or `table` is required. */
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: MAX_QUERY_LENGTH,
    example: 'select iata, count(*) as flights from flights group by iata',
  })
  @MayBeAbsent()
  @IsQuery()
  query?: string | null;

  /** Table or view, as `table` or `schema.table`. */
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_TABLE_LENGTH,
    example: null,
  })
  @MayBeAbsent()
  @IsTable()
  table?: string | null;

  /** ID of a datagrid of the connection's workspace. With it, the response has the matched columns. */
  @ApiPropertyOptional({ format: 'uuid', example: '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12' })
  @MayBeAbsent()
  @IsDatagridId()
  datagridId?: string;

  /** Key columns. With them and `datagridId`, the columns are checked as a run does. */
  @ApiPropertyOptional(KEY_COLUMNS)
  @MayBeAbsent()
  @IsKeyColumns()
  keyColumns?: string[];

  /** Column keys by the names of columns of the result. */
  @ApiPropertyOptional(MAPPING)
  @MayBeAbsent()
  @IsColumnMapping()
  columns?: Readonly<Record<string, string>> | null;
}

/** A column of a result. */
export class PreviewColumnDto {
  /**
   * Name in the result.
   * @example 'iata'
   */
  @ApiProperty()
  name!: string;

  /**
   * Type as the database names it.
   * @example 'text'
   */
  @ApiProperty()
  sourceType!: string;

  /** Narrowest column type that fits the first values. */
  @ApiProperty({ enum: COLUMN_TYPE_NAMES, example: 'text' })
  type!: ColumnType;

  /** Key of the datagrid's column that matches. `null`: none does, or `datagridId` was not sent. */
  @ApiProperty({ type: String, nullable: true, example: 'iata' })
  key!: string | null;
}

/** What a query returns. */
export class PreviewDto {
  /** Whether the query returned a result and, if they were sent, the columns fit. */
  @ApiProperty({ example: true })
  ok!: boolean;

  /** Reason of the failure, in words. `null` if `ok` is `true`. The text can change. */
  @ApiProperty({ type: String, nullable: true, example: null })
  error!: string | null;

  /** Columns of the result, up to 200. */
  @ApiProperty({ type: [PreviewColumnDto] })
  columns!: PreviewColumnDto[];

  /**
   * The first rows, up to 20. A row has a value for each column: a text of up to 200 characters, or
   * `null`.
   */
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string', nullable: true } },
    example: [['JFK']],
  })
  rows!: (string | null)[][];
}
