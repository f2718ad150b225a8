import { Injectable } from '@nestjs/common';

/** Readers of the change log whose positions the service stores, such as webhooks. */
export interface LogReader {
  /**
   * Returns, by datagrid, the revision up to which all readers have read its log. Datagrids without
   * readers are missing. Entries after this revision are kept until `MAX_CHANGE_RETENTION_DAYS`.
   */
  findReadRevisions(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Prepares for the purge of a datagrid in the trash: its log ends. Runs inside the transaction of
   * the purge, before anything is deleted.
   */
  endLog(datagridId: string): Promise<void>;
}

/**
 * Stored readers of the change log, which trimming and purging involve. The module of the readers
 * imports this one, not the reverse, so it registers them when it starts.
 */
@Injectable()
export class ChangeLogReaders {
  private readonly registered: LogReader[] = [];

  register(reader: LogReader): void {
    this.registered.push(reader);
  }

  /** Returns the lowest revision of all readers by datagrid; none for a datagrid without readers. */
  async findReadRevisions(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const lowest = new Map<string, number>();
    for (const reader of this.registered) {
      for (const [datagridId, revision] of await reader.findReadRevisions(datagridIds)) {
        lowest.set(datagridId, Math.min(revision, lowest.get(datagridId) ?? revision));
      }
    }
    return lowest;
  }

  /** Lets all readers prepare for the purge of a datagrid. Use inside the transaction of the purge. */
  async endLog(datagridId: string): Promise<void> {
    for (const reader of this.registered) await reader.endLog(datagridId);
  }
}
