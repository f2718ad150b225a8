import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowModule } from '../rows/row.module';
import { InsertStep } from './apply/insert-step';
import { LinkedKeyRepository } from './apply/linked-key.repository';
import { LinkedKeys } from './apply/linked-keys';
import { StepRepository } from './apply/step.repository';
import { StepService } from './apply/step.service';
import { UpsertStep } from './apply/upsert-step';
import { ImportController } from './import.controller';
import { ImportJobService } from './import-job.service';
import { ImportService } from './import.service';
import { ImportLeftoverRepository, ImportRepository } from './job/import.repository';
import { RowImportController } from './row-import.controller';
import { ImportMetrics } from './progress/import-metrics';
import { ImportRunService } from './run/import-run.service';
import { ImportSweepService } from './run/import-sweep.service';
import { HeaderColumnService } from './source/header-column.service';
import { LineStageRepository } from './stage/line-stage.repository';

@Module({
  imports: [RowModule, DatagridModule],
  controllers: [RowImportController, ImportController],
  providers: [
    ImportService,
    ImportJobService,
    ImportMetrics,
    ImportRunService,
    ImportSweepService,
    ImportRepository,
    ImportLeftoverRepository,
    LineStageRepository,
    StepService,
    StepRepository,
    LinkedKeys,
    LinkedKeyRepository,
    InsertStep,
    UpsertStep,
    HeaderColumnService,
  ],
  exports: [ImportService],
})
export class ImportModule {}
