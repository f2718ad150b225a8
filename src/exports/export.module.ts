import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowModule } from '../rows/row.module';
import { ExportMetrics, ExportPermits } from './export-permits';
import { ExportRepository } from './export.repository';
import { ExportService } from './export.service';
import { RowExportController } from './row-export.controller';

@Module({
  imports: [RowModule, DatagridModule],
  controllers: [RowExportController],
  providers: [ExportService, ExportRepository, ExportMetrics, ExportPermits],
  exports: [ExportMetrics, ExportPermits],
})
export class ExportModule {}
