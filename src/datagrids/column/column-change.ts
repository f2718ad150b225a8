import { hasChoices, type ColumnOptions } from '../column-type/column-type';
import type { ColumnRecord } from './column-record';
import type { UpdateColumnDto } from './dto/update-column.dto';

/** Returns a column after a change. Properties that the body omits keep their value. */
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

/** Whether a change alters nothing that a client sees. */
export function isShownAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const shown = ({ title, indexed }: ColumnRecord): string => JSON.stringify([title, indexed]);
  return isCheckedAlike(before, after) && shown(before) === shown(after);
}

/**
 * Whether rows are checked, stored and looked up the same way before and after a change. If so,
 * writes in progress stay valid, for example after a change of the title, or of `indexed` on a
 * unique column, which has an index anyway.
 */
export function isCheckedAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const checked = ({ type, required, unique, options, indexedTo }: ColumnRecord): string =>
    JSON.stringify([type, required, unique, options, indexedTo]);
  return checked(before) === checked(after);
}

/** Drops the choices if the type has none. */
function optionsFor(type: ColumnRecord['type'], options: ColumnOptions): ColumnOptions {
  return hasChoices(type) ? options : {};
}
