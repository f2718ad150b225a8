import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { RowReadRepository } from './read/row-read.repository';
import { RowReadService } from './read/row-read.service';
import { RowController } from './row.controller';
import { RowChangeRepository } from './write/row-change.repository';
import { RowCreateRepository } from './write/row-create.repository';
import { RowDeleteRepository } from './write/row-delete.repository';
import { RowWriteService } from './write/row-write.service';
import { SchemaBoundWrite } from './write/schema-bound-write';
import { UniqueConflictRepository } from './write/unique-conflict.repository';

@Module({
  imports: [DatagridModule],
  controllers: [RowController],
  providers: [
    RowReadService,
    RowReadRepository,
    RowWriteService,
    SchemaBoundWrite,
    RowCreateRepository,
    RowChangeRepository,
    RowDeleteRepository,
    UniqueConflictRepository,
  ],
  exports: [RowWriteService],
})
export class RowModule {}
