import { describeColumnChanges } from './column-changes-contract';
import { Warehouse } from './warehouse';

describe('a connection to PostgreSQL whose columns change', () => {
  describeColumnChanges(async () => {
    const warehouse = await Warehouse.start();
    return {
      type: 'postgresql',
      connection: { settings: warehouse.settings('columns'), secret: warehouse.password },
      read: async (table) => {
        const rows = await warehouse.read('columns', table);
        return (
          rows?.map(({ id, revision, values }) => ({ _id: id, _revision: revision, ...values })) ??
          null
        );
      },
      identify: async (table) => {
        const { rows } = await warehouse.sql.query(
          `SELECT '"columns"."${table}"'::regclass::oid AS oid`,
        );
        return rows;
      },
      close: () => warehouse.close(),
    };
  });
});
