import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RowDto } from './row.dto';

const rowExample = (id: number, iata: string, name: string): RowDto => ({
  id,
  values: { iata, name },
  revision: 5,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
});
/** To the example of a request, in the same order. */
const RESULT_EXAMPLES = [
  { status: 'created', id: 8108, row: rowExample(8108, 'ZRH', 'Zurich') },
  { status: 'updated', id: 7, row: rowExample(7, 'BRN', 'Bern') },
  { status: 'created', id: 8109, row: rowExample(8109, 'BSL', 'Basel') },
  { status: 'deleted', id: 9 },
];
const NOT_FOUND_EXAMPLE = {
  code: 'not_found',
  message: 'Row not found.',
  details: [
    {
      field: 'operations.3.id',
      code: 'not_found',
      message: 'is not the id of a row of this datagrid',
    },
  ],
};

/** What became of one operation. */
export class OperationResultDto {
  /** `unchanged`: the row had these values already, and keeps its revision. */
  @ApiProperty({ enum: ['created', 'updated', 'unchanged', 'deleted', 'error'] })
  status!: string;

  /** The row's id; absent with an error. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 1 })
  id?: number;

  /** The row after the operation; absent where it is gone, with an error, and with `return=minimal`. */
  @ApiPropertyOptional({ type: RowDto })
  row?: RowDto;

  /** The row's revision, with `return=minimal` in place of `row`. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  revision?: number;

  /** Why the operation was not carried out: `code`, `message` and perhaps `details`, as in any failure. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: NOT_FOUND_EXAMPLE })
  error?: Record<string, unknown>;
}

/** What became of the operations of a call. */
export class BatchResultDto {
  /** One for each operation, in order. */
  @ApiProperty({ type: [OperationResultDto], example: RESULT_EXAMPLES })
  results!: OperationResultDto[];

  /**
   * The datagrid's revision after the call
   * @example 5
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  revision!: number;
}

/** What became of one row. */
export class UpsertedRowDto {
  /** `unchanged`: the row had these values already, and keeps its revision. */
  @ApiProperty({ enum: ['created', 'updated', 'unchanged'] })
  status!: string;

  /** The row's id. */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, example: 1 })
  id!: number;

  /** The row as it is now; absent with `return=minimal`. */
  @ApiPropertyOptional({ type: RowDto })
  row?: RowDto;

  /** The row's revision, with `return=minimal` in place of `row`. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  revision?: number;
}

/** What became of the rows of a call. */
export class UpsertResultDto {
  /** One for each row, in order. */
  @ApiProperty({ type: [UpsertedRowDto] })
  results!: UpsertedRowDto[];
}
