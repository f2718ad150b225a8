import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowModule } from '../rows/row.module';
import { ExportMetrics, ExportPlaces } from './export-places';
import { ExportRepository } from './export.repository';
import { ExportService } from './export.service';
import { RowExportController } from './row-export.controller';

@Module({
  imports: [RowModule, DatagridModule],
  controllers: [RowExportController],
  providers: [ExportService, ExportRepository, ExportMetrics, ExportPlaces],
})
export class ExportModule {}
