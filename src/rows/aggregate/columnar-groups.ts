import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import type { ReadFound } from '../query/columnar-reads';
import type { AggregateRequest } from './aggregate-request';

/** Groups of rows, before PostgreSQL prints them. */
export interface FoundGroupValues {
  /** The parts of the results of each group, in order of `partsOfGroup` and `partsOfAggregate`. */
  readonly groups: readonly (readonly (string | null)[])[];
  /** Number of groups, also of those beyond the limit. */
  readonly total: number;
}

/** Computes groups in copies of datagrids that are made for scans. */
export interface GroupReader {
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

/** The reader of groups of columnar copies, which registers itself as that of `ColumnarReads`. */
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
