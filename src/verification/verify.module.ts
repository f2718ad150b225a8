import { Module } from '@nestjs/common';
import { ChangeLogCheckRepository } from './change-log-check.repository';
import { CounterCheckRepository } from './counter-check.repository';
import { DatagridListRepository } from './datagrid-list.repository';
import { GapCheckRepository } from './gap-check.repository';
import { IndexCheckRepository } from './index-check.repository';
import { LinkCheckRepository } from './link-check.repository';
import { UniqueCheckRepository } from './unique-check.repository';
import { VerifyService } from './verify.service';

/** Provides VerifyService to the operator commands. */
@Module({
  providers: [
    VerifyService,
    DatagridListRepository,
    CounterCheckRepository,
    ChangeLogCheckRepository,
    GapCheckRepository,
    UniqueCheckRepository,
    IndexCheckRepository,
    LinkCheckRepository,
  ],
  exports: [VerifyService],
})
export class VerifyModule {}
