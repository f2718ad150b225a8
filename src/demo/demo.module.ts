import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowModule } from '../rows/row.module';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { DemoRepository } from './demo.repository';
import { DemoService } from './demo.service';

/** Creates demo data. `main` loads it only if the database is embedded. */
@Module({
  imports: [WorkspaceModule, DatagridModule, RowModule],
  providers: [DemoService, DemoRepository],
})
export class DemoModule {}
