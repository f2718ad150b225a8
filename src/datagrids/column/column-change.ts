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

/** Whether nothing has changed that a client sees. */
export function isShownAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const shown = ({ title, indexed }: ColumnRecord): string => JSON.stringify([title, indexed]);
  return isCheckedAlike(before, after) && shown(before) === shown(after);
}

/**
 * Whether rows are checked, stored and looked up alike before and after. Their writers need not
 * hear of another title, nor of `indexed` where a unique column has its index anyway.
 */
export function isCheckedAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const checked = ({ type, required, unique, options, indexedTo }: ColumnRecord): string =>
    JSON.stringify([type, required, unique, options, indexedTo]);
  return checked(before) === checked(after);
}

/** A type without choices takes none along. */
function optionsFor(type: ColumnRecord['type'], options: ColumnOptions): ColumnOptions {
  return hasChoices(type) ? options : {};
}
