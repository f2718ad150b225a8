import { Module } from '@nestjs/common';
import { ChangeModule } from '../../changes/change.module';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { DestinationModule } from '../destination/destination.module';
import { RowSources } from './row-source';
import { SyncRepository } from './sync.repository';
import { SyncService } from './sync.service';

@Module({
  imports: [ChangeModule, DatagridModule, DestinationModule],
  providers: [SyncService, SyncRepository, RowSources],
})
export class SyncModule {}
