import { Module } from '@nestjs/common';
import { WorkspaceContents } from './workspace-contents';
import { WorkspaceController } from './workspace.controller';
import { WorkspaceRepository } from './workspace.repository';
import { WorkspaceService } from './workspace.service';

@Module({
  controllers: [WorkspaceController],
  providers: [WorkspaceService, WorkspaceRepository, WorkspaceContents],
  exports: [WorkspaceService, WorkspaceContents],
})
export class WorkspaceModule {}
