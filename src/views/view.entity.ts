import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AggregateFunction } from '../rows/query/aggregate-function';
import type { DateBucket } from '../rows/query/query-column';

/** Sides of the grid to which a column can be pinned. */
export const PINNED_SIDES = ['left', 'right'] as const;

/** A column in the layout of a view. */
export interface StoredViewColumn {
  /** Id of the column in its datagrid. */
  readonly id: number;
  /** Width in pixels. */
  readonly width?: number;
  readonly hidden?: boolean;
  readonly pinned?: (typeof PINNED_SIDES)[number];
  /** Function whose result the console shows below the column. */
  readonly summary?: AggregateFunction;
}

/** A saved view of a datagrid. It names columns by their ids, so that it never applies to another column that gets the key of a
 * removed one. */
@Entity('datagrid_views')
@Index('datagrid_views_name', ['datagridId', 'nameKey'], { unique: true })
export class DatagridViewEntity {
  @PrimaryColumn('uuid', { name: 'datagrid_id', primaryKeyConstraintName: 'datagrid_views_pkey' })
  datagridId!: string;

  /** UUIDv7: ids sort by creation time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'datagrid_views_pkey' })
  id!: string;

  @Column('text')
  name!: string;

  /** Case-folded name, unique among the views of the datagrid. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  /** Text of a `StoredFilter`; `null` if all rows match. */
  @Column('text', { nullable: true })
  filter!: string | null;

  /** Sort order with `c` and an id for each column, such as `-c3,_id`; `null` for the order of ids. */
  @Column('text', { nullable: true })
  sort!: string | null;

  /** Text to search for; `null` for no search. */
  @Column('text', { nullable: true })
  q!: string | null;

  /** Layout, in the order of display. May contain columns that were removed since. */
  @Column('jsonb', { default: () => "'[]'" })
  columns!: readonly StoredViewColumn[];

  /** Id of the column whose values are the groups of the rows; `null` for no groups. */
  @Column('integer', { name: 'group_column_id', nullable: true })
  groupColumnId!: number | null;

  /** Period of the dates in that column; `null` to group by the values themselves. */
  @Column('text', { name: 'group_bucket', nullable: true })
  groupBucket!: DateBucket | null;

  /** Id of the column whose choices are the colors of the rows; `null` for no colors. */
  @Column('integer', { name: 'color_column_id', nullable: true })
  colorColumnId!: number | null;

  /** Ids of the columns that the filter and the sort order name. */
  @Column('integer', { name: 'query_column_ids', array: true, default: () => "'{}'" })
  queryColumnIds!: readonly number[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;

  /** Incremented by every change, so that a version never recurs. */
  @Column('integer', { default: 1 })
  version!: number;
}
