import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { TrashModule } from '../trash/trash.module';
import { BatchService } from './batch/batch.service';
import { ComputedValueRepository } from './computed/computed-value.repository';
import { ComputedValuesService } from './computed/computed-values.service';
import { CreateRun } from './batch/operation-run';
import { BatchStateRepository } from './batch/batch-state.repository';
import { BatchStateService } from './batch/batch-state.service';
import { DeleteManyService } from './delete-many/delete-many.service';
import { RowSetWrites } from './write/row-set-write';
import { MatchRepository, MatchSearchRepository } from './delete-many/match.repository';
import { StillMatching } from './delete-many/still-matching';
import { QueryModule } from './query/query.module';
import { StreamWatch } from './stream/stream-watch';
import { RowRepository } from './row.repository';
import { QueryPageRepository } from './read/query-page.repository';
import { RowEnrichment } from './read/row-enrichment';
import { RowReader } from './read/row-reader';
import { RowReadService } from './row-read.service';
import { RowRequestResolver } from './read/row-request';
import { LargeRowDatagrids } from './storage/large-row-datagrids';
import { RowVersionRepository } from './storage/row-version.repository';
import { RowSetController } from './row-set.controller';
import { RowController } from './row.controller';
import { LinkEntryRepository } from './link/link-entry.repository';
import { LinkedDeletion } from './write/linked-deletion';
import { LinkedFilterRepository } from './link/linked-filter.repository';
import { LinkedFilterService } from './link/linked-filter.service';
import { LinkedRowRepository } from './link/linked-row.repository';
import { LinkedRowsService } from './link/linked-rows.service';
import { CounterRepository, DatagridLockRepository } from './write/counter.repository';
import { RowChangeRepository } from './write/row-change.repository';
import { RowCreateRepository } from './write/row-create.repository';
import { RowRecreateRepository } from './write/row-recreate.repository';
import { RowDeleteRepository } from './write/row-delete.repository';
import { InsertBatcher } from './write/insert-batcher';
import { RowWriteService } from './row-write.service';
import { SchemaBoundWrite } from './write/schema-bound-write';
import { UniqueConflictRepository } from './write/unique-conflict.repository';

@Module({
  imports: [DatagridModule, TrashModule, QueryModule],
  controllers: [RowController, RowSetController],
  providers: [
    RowReadService,
    RowRequestResolver,
    RowReader,
    RowEnrichment,
    RowRepository,
    LargeRowDatagrids,
    RowVersionRepository,
    QueryPageRepository,
    StreamWatch,
    RowWriteService,
    InsertBatcher,
    SchemaBoundWrite,
    CounterRepository,
    BatchService,
    CreateRun,
    BatchStateService,
    BatchStateRepository,
    DeleteManyService,
    RowSetWrites,
    MatchRepository,
    MatchSearchRepository,
    StillMatching,
    RowCreateRepository,
    RowChangeRepository,
    RowDeleteRepository,
    RowRecreateRepository,
    ComputedValuesService,
    ComputedValueRepository,
    LinkEntryRepository,
    LinkedDeletion,
    LinkedFilterRepository,
    LinkedFilterService,
    LinkedRowRepository,
    LinkedRowsService,
    UniqueConflictRepository,
    DatagridLockRepository,
  ],
  exports: [
    RowVersionRepository,
    QueryModule,
    DatagridLockRepository,
    LinkedFilterService,
    SchemaBoundWrite,
    RowChangeRepository,
    RowRecreateRepository,
    UniqueConflictRepository,
    QueryPageRepository,
    RowWriteService,
    CounterRepository,
    BatchStateService,
    LinkEntryRepository,
    StreamWatch,
    MatchRepository,
    RowSetWrites,
  ],
})
export class RowModule {}
