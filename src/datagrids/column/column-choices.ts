import { Injectable } from '@nestjs/common';
import { conflict, invalidField } from '../../common/error/app-error';
import { MAX_CHOICES } from '../column-type/column-options';
import { COLUMN_TYPES } from '../column-type/column-type';
import { rejectOtherSource } from './column-check';
import { ColumnContents, rejectLargeConversion, type StoredColumn } from './column-contents';
import { withConvertedDefault, withNormalDefault } from './column-default';
import type { ColumnRecord } from './column-record';
import { changedColumn } from './column-transition';
import type { UpdateColumnDto } from './dto/column.dto';

/** Takes the choices of a column from its values, if a change asks for it. */
@Injectable()
export class ColumnChoices {
  constructor(private readonly contents: ColumnContents) {}

  /**
   * Returns a column after a change. If the change converts values to a type with choices and names
   * none, the choices are the stored values.
   * @param rowCount Number of rows of the datagrid.
   * @throws AppError `conflict` if there are too many rows to read, or too many different values;
   *   `invalid_request` if the default value does not fit the changed column.
   */
  async changed(
    { accountId, datagridId }: Pick<StoredColumn, 'accountId' | 'datagridId'>,
    before: ColumnRecord,
    body: UpdateColumnDto,
    rowCount: number,
  ): Promise<ColumnRecord> {
    if (body.addChoices) rejectAddedChoices(before, body);
    const after = await this.withChoices({ accountId, datagridId }, before, body, rowCount);
    return body.defaultValue === undefined ? withConvertedDefault(after) : withNormalDefault(after);
  }

  private async withChoices(
    { accountId, datagridId }: Pick<StoredColumn, 'accountId' | 'datagridId'>,
    before: ColumnRecord,
    body: UpdateColumnDto,
    rowCount: number,
  ): Promise<ColumnRecord> {
    const after = changedColumn(before, body);
    rejectOtherSource(before, after);
    const { hasChoices } = COLUMN_TYPES[after.type];
    if (!body.convert || !hasChoices || after.options.choices !== undefined) return after;
    rejectLargeConversion(rowCount);
    const column = { ...before, accountId, datagridId };
    const choices = await this.contents.hooks.listChoices(column, after.type, MAX_CHOICES);
    if (choices.length > MAX_CHOICES) {
      const message = `has more than ${MAX_CHOICES.toLocaleString('en-US')} different values`;
      throw conflict(`options.choices: ${message}`, [
        { field: 'options.choices', code: 'out_of_range', message },
      ]);
    }
    return choices.length === 0 ? after : { ...after, options: { ...after.options, choices } };
  }
}

/** @throws AppError `invalid_request` if the column cannot have choices. */
function rejectAddedChoices(before: ColumnRecord, { type = before.type }: UpdateColumnDto): void {
  if (COLUMN_TYPES[type].hasChoices) return;
  const message = `is not supported for columns of type ${type}`;
  throw invalidField('addChoices', 'incompatible_parameters', message);
}
