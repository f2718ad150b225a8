import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { TrashItemController } from './trash-item.controller';
import { TrashRepository } from './trash.repository';
import { TrashService } from './trash.service';

@Module({
  imports: [WorkspaceModule, DatagridModule],
  controllers: [TrashItemController],
  providers: [TrashService, TrashRepository],
  exports: [TrashService],
})
export class TrashModule {}
