import { Module } from '@nestjs/common';
import { ChangeModule } from '../../changes/change.module';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { DestinationModule } from '../destination/destination.module';
import { TableSetRepository } from '../table-set.repository';
import { ConnectionCleanup } from './connection-cleanup.service';
import { ConnectionLogReader } from './connection-log-reader';
import { RowSources } from './row-source';
import { SyncRepository } from './sync.repository';
import { SyncService } from './sync.service';

@Module({
  imports: [ChangeModule, DatagridModule, DestinationModule],
  providers: [
    SyncService,
    SyncRepository,
    RowSources,
    TableSetRepository,
    ConnectionLogReader,
    ConnectionCleanup,
  ],
})
export class SyncModule {}
