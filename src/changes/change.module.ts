import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowModule } from '../rows/row.module';
import { ChangeController } from './change.controller';
import { ChangePageService } from './change-page.service';
import { ChangeRepository } from './change.repository';
import { ChangeService } from './change.service';
import { ChangeWatch } from './change-watch';
import { FeedPages } from './feed';
import { LiveEvents } from './live-events';
import { LiveFeed } from './live-feed';
import { LiveReaders } from './live-readers';
import { RevisionPoll } from './revision-poll.service';
import { RevisionRepository } from './revision.repository';
import { WorkspaceFeedController } from './workspace/workspace-feed.controller';
import { WorkspaceFeedRepository } from './workspace/workspace-feed.repository';
import { WorkspaceFeedService } from './workspace/workspace-feed.service';
import { WorkspacePoll } from './workspace/workspace-poll';
import { WorkspaceWake } from './workspace/workspace-wake';

@Module({
  imports: [DatagridModule, RowModule],
  controllers: [ChangeController, WorkspaceFeedController],
  providers: [
    ChangeService,
    ChangePageService,
    ChangeRepository,
    ChangeWatch,
    RevisionPoll,
    RevisionRepository,
    LiveReaders,
    LiveFeed,
    LiveEvents,
    FeedPages,
    WorkspaceFeedService,
    WorkspaceFeedRepository,
    WorkspacePoll,
    WorkspaceWake,
  ],
  exports: [ChangeRepository],
})
export class ChangeModule {}
