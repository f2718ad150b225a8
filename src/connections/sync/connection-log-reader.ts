import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ChangeLogReaders, type LogReader } from '../../datagrids/change-log/change-log-readers';
import { SyncRepository } from './sync.repository';

/**
 * Registers connections as readers of the change log, so that entries that they have not read are kept
 * longer.
 */
@Injectable()
export class ConnectionLogReader implements OnModuleInit, LogReader {
  constructor(
    private readonly readers: ChangeLogReaders,
    private readonly repository: SyncRepository,
  ) {}

  onModuleInit(): void {
    this.readers.register(this);
  }

  async findReadRevisions(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const tables = await this.repository.listReadRevisions(datagridIds);
    return new Map(tables.map(({ datagridId, revision }) => [datagridId, revision]));
  }

  /** The table in the destination stays as it is. `ConnectionCleanup` forgets it. */
  endLog(): Promise<void> {
    return Promise.resolve();
  }
}
