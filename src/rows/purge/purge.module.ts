import { Module } from '@nestjs/common';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { TrashModule } from '../../trash/trash.module';
import { RowModule } from '../row.module';
import { PurgeRepository } from './purge.repository';
import { PurgeService } from './purge.service';

/** Background cleanup of purged datagrids. */
@Module({
  imports: [DatagridModule, TrashModule, RowModule],
  providers: [PurgeService, PurgeRepository],
})
export class PurgeModule {}
