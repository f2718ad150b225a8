import { Module } from '@nestjs/common';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { TrashModule } from '../../trash/trash.module';
import { RowModule } from '../row.module';
import { IndexBuildRepository } from './index-build.repository';
import { IndexBuildService } from './index-build.service';
import { LeftoverRepository } from './leftover.repository';

/** Background work on the indexes of columns. */
@Module({
  imports: [DatagridModule, TrashModule, RowModule],
  providers: [IndexBuildService, IndexBuildRepository, LeftoverRepository],
})
export class IndexModule {}
