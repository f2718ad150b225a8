import { Module } from '@nestjs/common';
import { WorkspaceTrashRepository } from './trash/workspace-trash.repository';
import { WorkspaceTrashService } from './trash/workspace-trash.service';
import { WorkspaceContents } from './workspace-contents';
import { WorkspaceController } from './workspace.controller';
import { WorkspaceRepository } from './workspace.repository';
import { WorkspaceQuota, WorkspaceService } from './workspace.service';

@Module({
  controllers: [WorkspaceController],
  providers: [
    WorkspaceService,
    WorkspaceRepository,
    WorkspaceContents,
    WorkspaceTrashService,
    WorkspaceTrashRepository,
    WorkspaceQuota,
  ],
  exports: [WorkspaceService, WorkspaceContents, WorkspaceTrashService],
})
export class WorkspaceModule {}
