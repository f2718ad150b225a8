import { Module } from '@nestjs/common';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { DatagridController } from './datagrid.controller';
import { DatagridRepository } from './datagrid.repository';
import { DatagridService } from './datagrid.service';
import { DatagridSchemaRepository } from './schema/datagrid-schema.repository';
import { DatagridSchemaService } from './schema/datagrid-schema.service';

@Module({
  imports: [WorkspaceModule],
  controllers: [DatagridController],
  providers: [DatagridService, DatagridRepository, DatagridSchemaService, DatagridSchemaRepository],
  exports: [DatagridService, DatagridSchemaService],
})
export class DatagridModule {}
