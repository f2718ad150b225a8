import { Module } from '@nestjs/common';
import { DatagridModule } from '../../datagrids/datagrid.module';
import { ColumnarReads } from './columnar-reads';
import { SavedQueries } from './saved-query';
import { SchemaBoundRead } from './schema-bound-read';

/** Services that all row queries share, and registries for other modules. */
@Module({
  imports: [DatagridModule],
  providers: [SchemaBoundRead, SavedQueries, ColumnarReads],
  exports: [SchemaBoundRead, SavedQueries, ColumnarReads],
})
export class QueryModule {}
