import { hasChoices, type ColumnOptions } from '../column-type/column-type';
import type { ColumnRecord } from './column-record';
import type { UpdateColumnDto } from './dto/update-column.dto';

/** A column after a change; what the body does not name stays as it is. */
export function changedColumn(column: ColumnRecord, body: UpdateColumnDto): ColumnRecord {
  const type = body.type ?? column.type;
  return {
    ...column,
    type,
    title: body.title ?? column.title,
    required: body.required ?? column.required,
    unique: body.unique ?? column.unique,
    indexed: body.indexed ?? column.indexed,
    options: body.options ?? optionsFor(type, column.options),
  };
}

/** A type without choices takes none along. */
function optionsFor(type: ColumnRecord['type'], options: ColumnOptions): ColumnOptions {
  return hasChoices(type) ? options : {};
}
