import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowModule } from '../rows/row.module';
import { RowHistoryController } from './history.controller';
import { HistoryRepository } from './history.repository';
import { RowHistoryService } from './row-history.service';
import { RowRestoreService } from './row-restore.service';
import { RowTrashController } from './row-trash.controller';
import { RowTrashRepository } from './row-trash.repository';
import { RowTrashService } from './row-trash.service';
import { UndoController } from './undo.controller';
import { UndoRepository } from './undo.repository';
import { UndoService } from './undo.service';
import { VersionTrimRepository } from './version-trim.repository';
import { VersionTrimService } from './version-trim.service';

@Module({
  imports: [DatagridModule, RowModule],
  controllers: [RowHistoryController, RowTrashController, UndoController],
  providers: [
    RowHistoryService,
    RowRestoreService,
    HistoryRepository,
    RowTrashService,
    RowTrashRepository,
    UndoService,
    UndoRepository,
    VersionTrimService,
    VersionTrimRepository,
  ],
})
export class HistoryModule {}
