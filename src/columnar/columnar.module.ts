import { Module } from '@nestjs/common';
import { DatagridModule } from '../datagrids/datagrid.module';
import { AggregateModule } from '../rows/aggregate/aggregate.module';
import { RowModule } from '../rows/row.module';
import { ColumnarCopies } from './columnar-copies';
import { ColumnarDatabase } from './columnar-database';
import { ColumnarMetrics } from './columnar-metrics';
import { ColumnarReaderService } from './columnar-reader.service';
import { CopyDemand } from './copy-demand';
import { CopyFollowingService } from './copy-following.service';
import { CopyLoader } from './copy-loader';
import { CopyLoadingService } from './copy-loading.service';
import { CopyRoom } from './copy-room';

@Module({
  imports: [DatagridModule, RowModule, AggregateModule],
  providers: [
    ColumnarDatabase,
    ColumnarMetrics,
    CopyRoom,
    ColumnarCopies,
    CopyDemand,
    CopyLoader,
    CopyLoadingService,
    CopyFollowingService,
    ColumnarReaderService,
  ],
  exports: [ColumnarDatabase, CopyLoader, CopyRoom],
})
export class ColumnarModule {}
