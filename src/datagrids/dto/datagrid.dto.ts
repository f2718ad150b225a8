import { ColumnDto } from '../column/dto/column.dto';

/** A datagrid, as the API gives it. */
export class DatagridDto {
  /**
   * UUIDv7, made by the service
   * @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b12'
   */
  id!: string;

  /** @example '019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b11' */
  workspaceId!: string;

  /**
   * Unique in the workspace, ignoring case
   * @example 'Airports'
   */
  name!: string;

  /** Empty where none was given */
  description!: string;

  /** In the order of their making */
  columns!: ColumnDto[];

  /**
   * Exact
   * @example 3376
   */
  rowCount!: number;

  /**
   * Raised by one by every write of rows or columns
   * @example 4
   */
  revision!: number;

  /**
   * RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  createdAt!: string;

  /**
   * The last change of name, description or columns: RFC 3339, UTC, milliseconds
   * @example '2026-11-21T09:30:00.000Z'
   */
  updatedAt!: string;
}
