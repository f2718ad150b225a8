import { Injectable } from '@nestjs/common';
import { notFound } from '../../common/error/app-error';
import { holdsEveryValue } from '../column-type/type-change';
import { ComputedColumnService } from './computed-column.service';
import { DatagridService } from '../datagrid.service';
import { ColumnChoices } from './column-choices';
import { claimsAnew, converts } from './column-transition';
import { rejectProblems } from './column-check';
import {
  ColumnContents,
  type ConflictingRows,
  type ConversionPreview,
  rejectLargeConversion,
  type StoredColumn,
  type ValueRule,
} from './column-contents';
import type { ColumnRecord } from './column-record';
import { ColumnRepository } from './column.repository';
import type { UpdateColumnDto } from './dto/column.dto';

const MAX_EXAMPLES = 10;

/** Expected result of a column change. */
export interface ColumnPreview extends ConflictingRows {
  /** Number of all rows. */
  readonly rows: number;
  /** Error code of the change, if rows conflict with it. */
  readonly code?: 'conflicting_rows';
  /** Property of the change that rows conflict with. */
  readonly field?: 'required' | 'type' | 'options' | 'unique';
  /** Result of the conversion of the values; absent if the change converts none. */
  readonly conversion?: Omit<ConversionPreview, 'checked'>;
  /** Choices that the change takes from the values. */
  readonly choices?: readonly string[];
}

/** Previews a column change. Takes no lock and changes nothing. */
@Injectable()
export class ColumnPreviewService {
  constructor(
    private readonly datagrids: DatagridService,
    private readonly repository: ColumnRepository,
    private readonly contents: ColumnContents,
    private readonly choices: ColumnChoices,
    private readonly computed: ComputedColumnService,
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
    const found = await this.repository.find(datagridId, key);
    if (!found) throw notFound('Column');
    const before = await this.computed.asSent(accountId, datagridId, found);
    const after = await this.choices.changed({ accountId, datagridId }, before, body, rows);
    rejectProblems(after);
    if (rows > 0 && converts(body, before, after)) {
      rejectLargeConversion(rows);
      const preview = await this.converted(rows, { ...before, accountId, datagridId }, after);
      return body.options ? preview : { ...preview, ...after.options };
    }
    const rejected = await this.rejected({ ...before, accountId, datagridId }, after);
    if (rejected && rejected.conflicting > 0)
      return conflictPreview(rows, fieldOf(before, after), rejected);
    const repeated = claimsAnew(before, after)
      ? await this.contents.hooks.findRepeated({ ...after, accountId, datagridId })
      : null;
    if (repeated && repeated.conflicting > 0) return conflictPreview(rows, 'unique', repeated);
    const checked = Math.min(rows, rejected?.checked ?? rows, repeated?.checked ?? rows);
    return { rows, checked, conflicting: 0, examples: [] };
  }

  /** Duplicate values are found by the change only: they depend on the converted values. */
  private async converted(
    rows: number,
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<ColumnPreview> {
    if (!before.required && after.required) {
      const missing = await this.contents.hooks.findRejected(before, {
        mayBeMissing: false,
        type: null,
      });
      if (missing.conflicting > 0) return conflictPreview(rows, 'required', missing);
    }
    const found = await this.contents.hooks.previewConversion(before, after);
    const { checked, ...conversion } = found;
    if (!after.required || conversion.emptied === 0) {
      return { rows, checked, conflicting: 0, examples: [], conversion };
    }
    const examples = conversion.emptiedExamples.map(({ rowId, value }) => ({ rowId, value }));
    const conflicts = { checked, conflicting: conversion.emptied, examples };
    return { ...conflictPreview(rows, fieldOf(before, after), conflicts), conversion };
  }

  /** @returns `null` if no row needs to be checked. */
  private async rejected(
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<ConflictingRows | null> {
    const rule: ValueRule = {
      mayBeMissing: before.required || !after.required,
      type: holdsEveryValue(before, after) ? null : after,
    };
    if (rule.mayBeMissing && rule.type === null) return null;
    return this.contents.hooks.findRejected(before, rule);
  }
}

function conflictPreview(
  rows: number,
  field: NonNullable<ColumnPreview['field']>,
  { checked, conflicting, examples }: ConflictingRows,
): ColumnPreview {
  const first = examples.slice(0, MAX_EXAMPLES);
  return { rows, checked, conflicting, examples: first, code: 'conflicting_rows', field };
}

function fieldOf(before: ColumnRecord, after: ColumnRecord): 'required' | 'type' | 'options' {
  if (before.type !== after.type) return 'type';
  return holdsEveryValue(before, after) ? 'required' : 'options';
}
