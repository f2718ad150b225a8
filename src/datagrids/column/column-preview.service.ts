import { Injectable } from '@nestjs/common';
import { notFound } from '../../common/error/app-error';
import { holdsEveryValue } from '../column-type/type-change';
import { DatagridService } from '../datagrid.service';
import { changedColumn } from './column-change';
import { refuseProblems } from './column-check';
import {
  ColumnContents,
  type RowsAgainst,
  type StoredColumn,
  type ValueRule,
} from './column-contents';
import type { ColumnRecord } from './column-record';
import { claimsAnew } from './column-transition';
import { ColumnRepository } from './column.repository';
import type { UpdateColumnDto } from './dto/update-column.dto';

const MAX_EXAMPLES = 10;

/** Expected result of a column change. */
export interface ColumnPreview extends RowsAgainst {
  /** Number of all rows. */
  readonly rows: number;
  /** Error code of the change, if rows conflict with it. */
  readonly code?: 'conflicting_rows';
  /** Property of the change that rows conflict with. */
  readonly field?: 'required' | 'type' | 'options' | 'unique';
}

/** Previews a column change. Takes no lock and changes nothing. */
@Injectable()
export class ColumnPreviewService {
  constructor(
    private readonly datagrids: DatagridService,
    private readonly repository: ColumnRepository,
    private readonly contents: ColumnContents,
  ) {}

  /**
   * Checks only the first rows of a very large datagrid; `checked` is their number.
   * @throws AppError `not_found`, `invalid_request` as the change itself, or `query_too_expensive`;
   *   `rate_limited` or `unavailable` if too many rows are being checked already.
   */
  async preview(
    accountId: string,
    datagridId: string,
    key: string,
    body: UpdateColumnDto,
  ): Promise<ColumnPreview> {
    const { rowCount: rows } = await this.datagrids.getSummary(accountId, datagridId);
    const before = await this.repository.find(datagridId, key);
    if (!before) throw notFound('Column');
    const after = changedColumn(before, body);
    refuseProblems(after);
    const refused = await this.refused({ ...before, accountId, datagridId }, after);
    if (refused && refused.conflicting > 0) return against(rows, fieldOf(before, after), refused);
    const repeated = claimsAnew(before, after)
      ? await this.contents.findRepeated({ ...after, accountId, datagridId })
      : null;
    if (repeated && repeated.conflicting > 0) return against(rows, 'unique', repeated);
    const checked = Math.min(rows, refused?.checked ?? rows, repeated?.checked ?? rows);
    return { rows, checked, conflicting: 0, examples: [] };
  }

  /** @returns `null` if no row needs to be checked. */
  private async refused(
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<RowsAgainst | null> {
    const rule: ValueRule = {
      mayBeMissing: before.required || !after.required,
      type: holdsEveryValue(before, after) ? null : after,
    };
    if (rule.mayBeMissing && rule.type === null) return null;
    return this.contents.findRefused(before, rule);
  }
}

function against(
  rows: number,
  field: NonNullable<ColumnPreview['field']>,
  { checked, conflicting, examples }: RowsAgainst,
): ColumnPreview {
  const first = examples.slice(0, MAX_EXAMPLES);
  return { rows, checked, conflicting, examples: first, code: 'conflicting_rows', field };
}

function fieldOf(before: ColumnRecord, after: ColumnRecord): 'required' | 'type' | 'options' {
  if (before.type !== after.type) return 'type';
  return holdsEveryValue(before, after) ? 'required' : 'options';
}
