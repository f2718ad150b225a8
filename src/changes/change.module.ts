import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { ChangeController } from './change.controller';
import { ChangePageService } from './change-page.service';
import { ChangeRepository } from './change.repository';
import { ChangeService } from './change.service';
import { ChangeWatch } from './change-watch';
import { LiveReaders } from './live-readers';
import { RevisionPoll } from './revision-poll.service';
import { RevisionRepository } from './revision.repository';

@Module({
  imports: [DatagridModule],
  controllers: [ChangeController],
  providers: [
    ChangeService,
    ChangePageService,
    ChangeRepository,
    ChangeWatch,
    RevisionPoll,
    RevisionRepository,
    LiveReaders,
  ],
})
export class ChangeModule {}
