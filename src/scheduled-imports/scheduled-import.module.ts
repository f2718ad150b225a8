import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { ImportModule } from '../imports/import.module';
import { RowModule } from '../rows/row.module';
import { ConnectionModule } from '../connections/connection.module';
import { DestinationModule } from '../destinations/destination.module';
import { DeleteOthersService } from './delete-others.service';
import { ImportClaimRepository } from './import-claim.repository';
import { ScheduledImportMetrics } from './import-metrics';
import { ImportRuns } from './import-runs.service';
import { ImportScheduleService } from './import-schedule.service';
import { PreviewService } from './preview.service';
import {
  ScheduledImportController,
  ScheduledImportRunController,
} from './scheduled-import.controller';
import { ScheduledImportRepository } from './scheduled-import.repository';
import { ScheduledImportService } from './scheduled-import.service';

@Module({
  imports: [ConnectionModule, DestinationModule, DatagridModule, ImportModule, RowModule],
  controllers: [ScheduledImportController, ScheduledImportRunController],
  providers: [
    ScheduledImportService,
    ScheduledImportRepository,
    PreviewService,
    DeleteOthersService,
    ImportScheduleService,
    ImportRuns,
    ImportClaimRepository,
    ScheduledImportMetrics,
  ],
})
export class ScheduledImportModule {}
