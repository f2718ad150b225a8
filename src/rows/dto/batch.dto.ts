import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RowBodyDto } from './row-body.dto';

const OPERATION_EXAMPLES = [
  { op: 'create', values: { iata: 'ZRH', name: 'Zurich' } },
  { op: 'update', id: 7, values: { size: null }, ifRevision: 1 },
  { op: 'upsert', matchOn: ['iata'], values: { iata: 'BSL', name: 'Basel' } },
  { op: 'delete', id: 9 },
];

/** One change to one row. */
export class OperationDto {
  /** `update` merges and `replace` keeps nothing else; `upsert` changes the row it matches or creates one. */
  @ApiProperty({ enum: ['create', 'update', 'replace', 'delete', 'upsert'] })
  op!: string;

  /** The row to update, replace or delete; not with the others. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 1 })
  id?: number;

  /** By column key; `null` means no value. Not with `delete`. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  values?: Record<string, unknown>;

  /** Unique columns that an upsert knows its row by; each needs a value in `values`. */
  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: 4 })
  matchOn?: string[];

  /** The revision that the row must have: otherwise the operation fails with 412. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64', minimum: 1 })
  ifRevision?: number;
}

/** Up to 1,000 changes, carried out in order. */
export class BatchDto {
  /** `atomic`: all or none. `partial`: each stands for itself. */
  @ApiProperty({ enum: ['atomic', 'partial'] })
  mode!: string;

  /** Answer as if, and change nothing. */
  @ApiPropertyOptional({ type: 'boolean', default: false })
  dryRun?: boolean;

  /** A later one sees what an earlier one did. */
  @ApiProperty({ type: [OperationDto], minItems: 1, maxItems: 1000, example: OPERATION_EXAMPLES })
  operations!: OperationDto[];
}

/** Up to 1,000 rows, each changed where it is there and created where not; all or none. */
export class UpsertDto {
  /** The unique columns that a row is known by. */
  @ApiProperty({ type: [String], minItems: 1, maxItems: 4, example: ['iata'] })
  matchOn!: string[];

  /** Each with a value in every column of `matchOn`; the same ones not twice. */
  @ApiProperty({ type: [RowBodyDto], minItems: 1, maxItems: 1000 })
  rows!: RowBodyDto[];
}
