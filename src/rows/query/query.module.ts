import { Module } from '@nestjs/common';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { ColumnReads } from './column-reads';
import { ColumnarReads } from './columnar-reads';
import { SavedQueries } from './saved-query';
import { SchemaBoundRead } from './schema-bound-read';

/** What every query of rows uses, and what other modules register for it. */
@Module({
  imports: [DatagridModule],
  providers: [SchemaBoundRead, SavedQueries, ColumnarReads, ColumnReads],
  exports: [SchemaBoundRead, SavedQueries, ColumnarReads, ColumnReads],
})
export class QueryModule {}
