import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ChangeLogReaders, type LogReader } from '../datagrids/change-log/change-log-readers';
import { LaneSetRepository } from './lane-set.repository';

/** Tells the change log what webhooks still have to read of it. */
@Injectable()
export class WebhookLogService implements OnModuleInit, LogReader {
  constructor(
    private readonly readers: ChangeLogReaders,
    private readonly lanes: LaneSetRepository,
  ) {}

  onModuleInit(): void {
    this.readers.register(this);
  }

  async findReadRevisions(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const positions = await this.lanes.listReadRevisions(datagridIds);
    return new Map(positions.map(({ datagridId, revision }) => [datagridId, revision]));
  }
}
