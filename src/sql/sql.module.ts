import { Module } from '@nestjs/common';
import { ColumnarModule } from '../columnar/columnar.module';
import { DatagridModule } from '../datagrids/datagrid.module';
import { ExportModule } from '../exports/export.module';
import { RowModule } from '../rows/row.module';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { SqlQueryController } from './saved/sql-query.controller';
import { SqlQueryRepository } from './saved/sql-query.repository';
import { SqlQueryService } from './saved/sql-query.service';
import { SqlController } from './sql.controller';
import { SqlProcessesService } from './sql-processes.service';
import { SqlService } from './sql.service';
import { SqlRunnerService } from './sql-runner.service';
import { SqlTablesService } from './sql-tables.service';
import { SqlTablesRepository } from './sql-tables.repository';

@Module({
  imports: [WorkspaceModule, DatagridModule, RowModule, ColumnarModule, ExportModule],
  controllers: [SqlController, SqlQueryController],
  providers: [
    SqlService,
    SqlRunnerService,
    SqlProcessesService,
    SqlTablesService,
    SqlTablesRepository,
    SqlQueryService,
    SqlQueryRepository,
  ],
})
export class SqlModule {}
