import { Module } from '@nestjs/common';
import { ChangeModule } from '../../changes/change.module';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { DestinationModule } from '../../destinations/destination.module';
import { TableSetRepository } from '../table-set.repository';
import { RowSources } from './row-source.repository';
import { SyncMetrics } from './sync-metrics';
import { SyncTotalsRepository } from './sync-totals.repository';
import { SyncRepository } from './sync.repository';
import { SyncService } from './sync.service';
import { TableRuns } from './table-runs.service';

@Module({
  imports: [ChangeModule, DatagridModule, DestinationModule],
  providers: [
    SyncService,
    SyncRepository,
    SyncMetrics,
    SyncTotalsRepository,
    RowSources,
    TableSetRepository,
    TableRuns,
  ],
})
export class SyncModule {}
