import { Module } from '@nestjs/common';
import { ColumnarModule } from '../columnar/columnar.module';
import { DatagridModule } from '../datagrids/datagrid.module';
import { ExportModule } from '../exports/export.module';
import { RowModule } from '../rows/row.module';
import { SqlController } from './sql.controller';
import { SqlProcessesService } from './sql-processes.service';
import { SqlService } from './sql.service';
import { SqlRunnerService } from './sql-runner.service';
import { SqlTablesService } from './sql-tables.service';
import { SqlTablesRepository } from './sql-tables.repository';

@Module({
  imports: [DatagridModule, RowModule, ColumnarModule, ExportModule],
  controllers: [SqlController],
  providers: [
    SqlService,
    SqlRunnerService,
    SqlProcessesService,
    SqlTablesService,
    SqlTablesRepository,
  ],
})
export class SqlModule {}
