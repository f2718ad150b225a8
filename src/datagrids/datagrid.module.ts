import { Module } from '@nestjs/common';
import { WorkspaceModule } from '../workspaces/workspace.module';
import { ChangeLogReaders } from './change-log/change-log-readers';
import { ChangeLogTrimRepository } from './change-log/change-log-trim.repository';
import { ChangeLogTrimService } from './change-log/change-log-trim.service';
import { ChangeSignal } from './change-log/change-signal';
import { ColumnTrashController } from './column-trash/column-trash.controller';
import { DeletedColumnRepository } from './column/deleted-column.repository';
import { ColumnTrashService } from './column-trash/column-trash.service';
import { ColumnChange } from './column/column-change';
import { ColumnChoices } from './column/column-choices';
import { ColumnContents } from './column/column-contents';
import { ColumnPreviewService } from './column/column-preview.service';
import { ColumnTransition } from './column/column-transition';
import { ReadOnlyColumnService } from './column/read-only-column.service';
import { ColumnController } from './column/column.controller';
import { ColumnRepository } from './column/column.repository';
import { ColumnService } from './column/column.service';
import { LargeColumns } from './column/large-columns';
import { ComputedColumnRepository } from './column/computed-column.repository';
import { ComputedColumnService } from './column/computed-column.service';
import { DatagridController } from './datagrid.controller';
import { DatagridRepository } from './datagrid.repository';
import { DatagridService } from './datagrid.service';
import { LinkTargetRepository } from './link/link-target.repository';
import { LinkTargetService } from './link/link-target.service';
import { DatagridQuota, QuotaCountRepository } from './quota/quota-count.repository';
import { RowQuota } from './quota/row-quota';
import { DatagridSchemaRepository } from './schema/datagrid-schema.repository';
import { DatagridSchemaService } from './schema/datagrid-schema.service';
import { DatagridTrashRepository } from './trash/datagrid-trash.repository';
import { DatagridTrashService } from './trash/datagrid-trash.service';

@Module({
  imports: [WorkspaceModule],
  controllers: [DatagridController, ColumnController, ColumnTrashController],
  providers: [
    DatagridService,
    DatagridRepository,
    DatagridSchemaService,
    DatagridSchemaRepository,
    DatagridTrashService,
    DatagridTrashRepository,
    ChangeLogReaders,
    ChangeLogTrimService,
    ChangeLogTrimRepository,
    ChangeSignal,
    ColumnService,
    ColumnRepository,
    ColumnChange,
    ColumnTrashService,
    DeletedColumnRepository,
    ColumnTransition,
    ReadOnlyColumnService,
    ColumnChoices,
    ColumnPreviewService,
    ColumnContents,
    LargeColumns,
    ComputedColumnService,
    ComputedColumnRepository,
    LinkTargetService,
    LinkTargetRepository,
    DatagridQuota,
    RowQuota,
    QuotaCountRepository,
  ],
  exports: [
    ChangeLogReaders,
    ChangeSignal,
    DatagridService,
    DatagridSchemaService,
    DatagridTrashService,
    ColumnService,
    ColumnContents,
    RowQuota,
  ],
})
export class DatagridModule {}
