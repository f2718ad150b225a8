import { Module } from '@nestjs/common';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { TrashModule } from '../../trash/trash.module';
import { RowModule } from '../row.module';
import { ConvertibleValueRepository } from './convertible-value.repository';
import { ReadOnlyColumnRepository } from './read-only-column.repository';
import { RepeatedValueRepository } from './repeated-value.repository';
import { RowBatches } from './row-batches';
import { RowColumnContents } from './row-column-contents';
import { RowConversion } from './row-conversion';
import { StoredValueRepository } from './stored-value.repository';
import { UniqueClaimRepository } from './unique-claim.repository';
import { ValueLogRepository } from './value-log.repository';

/** Reads and changes stored values when a column changes. */
@Module({
  imports: [DatagridModule, TrashModule, RowModule],
  providers: [
    ReadOnlyColumnRepository,
    RowColumnContents,
    RowBatches,
    RowConversion,
    ConvertibleValueRepository,
    StoredValueRepository,
    ValueLogRepository,
    RepeatedValueRepository,
    UniqueClaimRepository,
  ],
})
export class ColumnContentsModule {}
