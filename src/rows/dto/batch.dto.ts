import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { COUNTED_ID } from '../../common/text/id';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import { MAX_MATCHED_COLUMNS } from '../values/row-values';
import { RowInputDto, RowDto } from './row.dto';

/** Keys of the columns by which rows match. */
const MATCHED_KEYS = {
  type: 'array',
  items: { type: 'string', maxLength: MAX_KEY_LENGTH },
  minItems: 1,
  maxItems: MAX_MATCHED_COLUMNS,
} as const;

const OPERATION_EXAMPLES = [
  { op: 'create', values: { iata: 'ZRH', name: 'Zurich' } },
  { op: 'update', id: 7, values: { size: null }, ifRevision: 1 },
  { op: 'upsert', matchOn: ['iata'], values: { iata: 'BSL', name: 'Basel' } },
  { op: 'delete', id: 9 },
];

/** One operation of a batch. */
export class BatchOperationDto {
  /**
   * Kind of operation. `create` creates a row. `update` changes the values that you send. `replace`
   * replaces all values. `delete` deletes the row. `upsert` updates the row that matches, or creates
   * one.
   */
  @ApiProperty({ enum: ['create', 'update', 'replace', 'delete', 'upsert'] })
  op!: string;

  /** ID of the row. Required for `update`, `replace` and `delete`; not allowed for others. */
  @ApiPropertyOptional({ ...COUNTED_ID })
  id?: number;

  /**
   * Values by column key. `null` clears a value. Required, except for `delete`, which does not
   * allow it.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  values?: Record<string, unknown>;

  /**
   * Keys of the unique columns by which an upsert matches its row. `values` needs a value for each
   * of them. Required for `upsert`; not allowed for others.
   */
  @ApiPropertyOptional({ ...MATCHED_KEYS })
  matchOn?: string[];

  /**
   * Expected revision of the row. If the row has a different revision, the operation fails with 412.
   * For an `upsert`, this applies only if a row matches. Not allowed for `create`.
   */
  @ApiPropertyOptional({ ...COUNTED_ID })
  ifRevision?: number;
}

/** Up to 1,000 operations, which run in order. */
export class BatchDto {
  /** `atomic`: all operations or none. `partial`: each operation succeeds or fails by itself. */
  @ApiProperty({ enum: ['atomic', 'partial'] })
  mode!: string;

  /** Whether to return the results without changing anything. */
  @ApiPropertyOptional({ type: 'boolean', default: false })
  dryRun?: boolean;

  /** Operations. Each one sees the effects of the operations before it. */
  @ApiProperty({
    type: [BatchOperationDto],
    minItems: 1,
    maxItems: 1000,
    example: OPERATION_EXAMPLES,
  })
  operations!: BatchOperationDto[];
}

/** Up to 1,000 rows to update or create, all or none. */
export class UpsertDto {
  /** Keys of the unique columns by which rows are matched. */
  @ApiProperty({ ...MATCHED_KEYS, example: ['iata'] })
  matchOn!: string[];

  /**
   * Rows. Each one needs a value in every column of `matchOn`, and no two can have the same values in
   * these columns.
   */
  @ApiProperty({ type: [RowInputDto], minItems: 1, maxItems: 1000 })
  rows!: RowInputDto[];
}

const rowExample = (id: number, iata: string, name: string): RowDto => ({
  id,
  values: { iata, name },
  revision: 5,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
});
/** Results of the operations of the request example, in the same order. */
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

/** Result of one operation. */
export class BatchOperationResultDto {
  /** Outcome. `unchanged`: the row already had these values and keeps its revision. */
  @ApiProperty({ enum: ['created', 'updated', 'unchanged', 'deleted', 'error'] })
  status!: string;

  /** ID of the row. Absent if the operation failed. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 1 })
  id?: number;

  /**
   * The row after the operation. Absent if the row was deleted, if the operation failed, and with
   * `Prefer: return=minimal`.
   */
  @ApiPropertyOptional({ type: RowDto })
  row?: RowDto;

  /** Revision of the row. Present only with `Prefer: return=minimal`, in place of `row`. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  revision?: number;

  /**
   * Error of the operation, with `code`, `message` and optional `details`, as in error responses.
   * Present only if the operation failed.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: NOT_FOUND_EXAMPLE })
  error?: Record<string, unknown>;
}

/** Results of a batch. */
export class BatchResultDto {
  /** One result for each operation, in the same order. */
  @ApiProperty({ type: [BatchOperationResultDto], example: RESULT_EXAMPLES })
  results!: BatchOperationResultDto[];

  /**
   * Revision of the datagrid after the batch.
   * @example 5
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  revision!: number;
}

/** Result of one row of an upsert. */
export class UpsertRowResultDto {
  /** Outcome. `unchanged`: the row already had these values and keeps its revision. */
  @ApiProperty({ enum: ['created', 'updated', 'unchanged'] })
  status!: string;

  /** ID of the row. */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, example: 1 })
  id!: number;

  /** The row after the upsert. Absent with `Prefer: return=minimal`. */
  @ApiPropertyOptional({ type: RowDto })
  row?: RowDto;

  /** Revision of the row. Present only with `Prefer: return=minimal`, in place of `row`. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  revision?: number;
}

/** Results of an upsert. */
export class UpsertResultDto {
  /** One result for each row, in the same order. */
  @ApiProperty({ type: [UpsertRowResultDto] })
  results!: UpsertRowResultDto[];
}

/** Rows to delete. */
export class DeleteRowsDto {
  /** Conditions by column key, as in the list of rows. `{}` matches all rows. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { country: 'USA', size: { $isNull: true } },
  })
  filter!: Record<string, unknown>;

  /**
   * Maximum number of rows to delete. If more rows match, the request returns 409 and deletes none.
   */
  @ApiPropertyOptional({ ...COUNTED_ID, minimum: 0, example: 100 })
  maxAffected?: number;

  /** Whether to count the matching rows without deleting them. */
  @ApiPropertyOptional({ type: 'boolean', default: false })
  dryRun?: boolean;
}

/** Number of deleted rows. */
export class DeleteRowsResultDto {
  /**
   * Number of rows that were deleted. With `dryRun`, the number of rows that match.
   * @example 12
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  deleted!: number;
}
