-- Distributes the schema over the nodes of a Citus cluster. For prerequisites and checks, see
-- docs/citus.md.
--
-- Stop the service and create the tables with `npm run -s admin -- migrate`. Then run this script once,
-- on the coordinator, as the role of the service:
--   psql --single-transaction -v ON_ERROR_STOP=1 -f deploy/citus/distribute.sql "$DATABASE_DIRECT_URL"
-- A migration creates a new table on the coordinator only. This script then lists it, too.

-- Before: register the coordinator as a node of its own cluster, so that its tables and reference
-- tables can be joined.
--   SELECT citus_set_coordinator_host('coordinator.example.com');
--   SELECT citus_add_node('worker-1.example.com', 5432);

-- Joined with the data of datagrids, and rarely changed: a copy on every node.
-- Without its foreign key, the tables of accounts, workspaces, webhooks and connections remain plain
-- tables of the coordinator. The service locks the workspace of a new datagrid, and deletes only empty
-- workspaces.
ALTER TABLE datagrids DROP CONSTRAINT datagrids_workspace_id_fkey;
SELECT create_reference_table('datagrids');

-- All data of a datagrid is on one node, so that its statements and transactions run on that node
-- only.
SELECT create_distributed_table('datagrid_counters', 'datagrid_id');
SELECT create_distributed_table('datagrid_columns', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('rows', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('row_gaps', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('row_tombstones', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('datagrid_changes', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('row_versions', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('datagrid_views', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('unique_values', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('text_index_entries', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('number_index_entries', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('row_links', 'datagrid_id', colocate_with => 'datagrid_counters');
-- Citus moves the shards of a table while it is written only if its writes are logged.
ALTER TABLE import_lines SET LOGGED;
SELECT create_distributed_table('import_lines', 'datagrid_id', colocate_with => 'datagrid_counters');
