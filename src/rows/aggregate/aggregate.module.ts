import { Module } from '@nestjs/common';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { TrashModule } from '../../trash/trash.module';
import { RowModule } from '../row.module';
import { RowAggregateController } from './aggregate.controller';
import { AggregateRepository } from './aggregate.repository';
import { AggregateService } from './aggregate.service';
import { ColumnarGroups } from './columnar-groups';

@Module({
  imports: [DatagridModule, TrashModule, RowModule],
  controllers: [RowAggregateController],
  providers: [AggregateService, AggregateRepository, ColumnarGroups],
  exports: [ColumnarGroups],
})
export class AggregateModule {}
