-- Distributes the schema over the nodes of a Citus cluster. For prerequisites and checks, see
-- "Citus" in docs/operations.md. Not yet tested on Citus.
--
-- Stop the service and create the tables with `npm run -s admin -- migrate`. Then run this script once,
-- on the coordinator, as the role of the service:
--   psql --single-transaction -v ON_ERROR_STOP=1 -f deploy/citus/distribute.sql "$DATABASE_DIRECT_URL"
-- A migration creates a new table on the coordinator only. This script then lists it, too.

-- Before: register the coordinator as a node of its own cluster, so that its tables and reference
-- tables can be joined and have foreign keys to each other.
--   SELECT citus_set_coordinator_host('coordinator.example.com');
--   SELECT citus_add_node('worker-1.example.com', 5432);

-- Triggers notify the services of changed keys, users and accounts. They change no data. The services
-- listen on the coordinator, whose copy of these tables sends the notifications.
SET LOCAL citus.enable_unsafe_triggers = on;

-- Read by nearly every statement and rarely changed: a copy on every node. In the order of their
-- foreign keys.
SELECT create_reference_table('accounts');
SELECT create_reference_table('users');
SELECT create_reference_table('api_keys');
SELECT create_reference_table('workspaces');
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
SELECT create_distributed_table('unique_values', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('text_index_entries', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('number_index_entries', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('import_lines', 'datagrid_id', colocate_with => 'datagrid_counters');

-- Small, and read across datagrids or by caller: on the coordinator. A unique index of `imports` does
-- not contain datagrid_id, which a distributed table would require.
SELECT citus_add_local_table_to_metadata('imports');
SELECT citus_add_local_table_to_metadata('datagrid_purges');
SELECT citus_add_local_table_to_metadata('idempotency_keys');
SELECT citus_add_local_table_to_metadata('idempotency_usage');
SELECT citus_add_local_table_to_metadata('user_passwords');
SELECT citus_add_local_table_to_metadata('user_invites');
SELECT citus_add_local_table_to_metadata('sessions');
SELECT citus_add_local_table_to_metadata('api_key_usage');
SELECT citus_add_local_table_to_metadata('audit_events');
SELECT citus_add_local_table_to_metadata('webhooks');
SELECT citus_add_local_table_to_metadata('webhook_lanes');
SELECT citus_add_local_table_to_metadata('webhook_events');
SELECT citus_add_local_table_to_metadata('webhook_attempts');
SELECT citus_add_local_table_to_metadata('connections');
SELECT citus_add_local_table_to_metadata('connection_tables');
SELECT citus_add_local_table_to_metadata('connection_runs');
SELECT citus_add_local_table_to_metadata('scheduled_imports');
SELECT citus_add_local_table_to_metadata('scheduled_import_runs');
SELECT citus_add_local_table_to_metadata('schema_migrations');
