import type { DatagridColumnEntity } from './datagrid-column.entity';
import type { ColumnDto } from './dto/column.dto';
import type { CreateColumnDto } from './dto/create-column.dto';

/** A living column, as the statements give it. */
export type ColumnRecord = Omit<DatagridColumnEntity, 'createdAt' | 'removedAt' | 'datagridId'>;

/** Gives the living columns of datagrid `d.id` as a JSON array, in order. */
export const COLUMNS_JSON = `
  (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'key', key, 'slot', slot, 'title', title, 'type', type, 'required', is_required,
      'unique', is_unique, 'indexed', is_indexed, 'options', options) ORDER BY id), '[]')
    FROM datagrid_columns WHERE datagrid_id = d.id AND removed_at IS NULL)`;

/** A column with its defaults filled in. */
export function newColumn(body: CreateColumnDto, id: number, slot: string): ColumnRecord {
  return {
    id,
    key: body.key,
    slot,
    title: body.title ?? body.key,
    type: body.type,
    required: body.required ?? false,
    unique: body.unique ?? false,
    indexed: body.indexed ?? false,
    options: body.options ?? {},
  };
}

export function toColumnDto(column: ColumnRecord): ColumnDto {
  const { key, title, type, required, unique, indexed, options } = column;
  const { choices } = options;
  return {
    key,
    title,
    type,
    required,
    unique,
    indexed,
    options: choices === undefined ? {} : { choices: [...choices] },
  };
}
