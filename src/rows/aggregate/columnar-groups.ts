import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import type { ColumnarReader, ReadFound } from '../query/columnar-reads';
import type { AggregateRequest } from './aggregate-request';

/** Groups of rows, before PostgreSQL prints them. */
export interface FoundGroupValues {
  /** The parts of the results of each group, in order of `partsOfGroup` and `partsOfAggregate`. */
  readonly groups: readonly (readonly (string | null)[])[];
  /** Number of groups, also of those beyond the limit. */
  readonly total: number;
}

/** Computes groups of rows in columnar copies. */
export interface GroupReader extends Pick<ColumnarReader, 'noteScan'> {
  /**
   * Computes groups in a snapshot, and has them printed in it.
   * @returns and throws as `ColumnarReader.findPage`.
   */
  findGroups<T>(
    accountId: string,
    schema: DatagridSchema,
    request: AggregateRequest,
    read: ReadFound<FoundGroupValues, T>,
  ): Promise<T | null>;
}

/** Holds the reader of groups in columnar copies, which registers itself at startup, as in `ColumnarReads`. */
@Injectable()
export class ColumnarGroups {
  private registered: GroupReader | undefined;

  register(reader: GroupReader): void {
    this.registered = reader;
  }

  get reader(): GroupReader | undefined {
    return this.registered;
  }
}
