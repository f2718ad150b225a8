-- Spreads the schema over the machines of a Citus cluster: see "Citus" in
-- docs/operations.md, which also says what to check. Not tried on a Citus yet.
--
-- Run it once, as the service's user, on the coordinator, after `npm run -s admin -- migrate` has made
-- the tables, and while no service runs:
--   psql --single-transaction -v ON_ERROR_STOP=1 -f deploy/citus/distribute.sql "$DATABASE_DIRECT_URL"
-- A migration that makes a table makes it on the coordinator alone: it then stands here, too.

-- Before: the coordinator is a node of its own cluster, so that tables of the coordinator and
-- reference tables can be joined, and refer to each other.
--   SELECT citus_set_coordinator_host('coordinator.example.com');
--   SELECT citus_add_node('worker-1.example.com', 5432);

-- Whom keys, users and accounts belong to is told to listening services by triggers. These only
-- notify; the coordinator's own copy of the table does so where the services listen.
SET LOCAL citus.enable_unsafe_triggers = on;

-- Read by nearly every statement, changed rarely: a copy on every node. In the order of their
-- foreign keys.
SELECT create_reference_table('accounts');
SELECT create_reference_table('users');
SELECT create_reference_table('api_keys');
SELECT create_reference_table('workspaces');
SELECT create_reference_table('datagrids');

-- What a datagrid holds is on one node, all of it together: its statements and transactions go
-- to that node as a whole.
SELECT create_distributed_table('datagrid_counters', 'datagrid_id');
SELECT create_distributed_table('datagrid_columns', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('rows', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('row_gaps', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('row_tombstones', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('unique_values', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('text_index_entries', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('number_index_entries', 'datagrid_id', colocate_with => 'datagrid_counters');
SELECT create_distributed_table('import_lines', 'datagrid_id', colocate_with => 'datagrid_counters');

-- Small, and asked for over all datagrids, or by who asks: on the coordinator. A unique index of
-- imports names no datagrid, which a distributed table could not have.
SELECT citus_add_local_table_to_metadata('imports');
SELECT citus_add_local_table_to_metadata('datagrid_purges');
SELECT citus_add_local_table_to_metadata('idempotency_keys');
SELECT citus_add_local_table_to_metadata('idempotency_usage');
SELECT citus_add_local_table_to_metadata('user_passwords');
SELECT citus_add_local_table_to_metadata('user_invites');
SELECT citus_add_local_table_to_metadata('sessions');
SELECT citus_add_local_table_to_metadata('api_key_usage');
SELECT citus_add_local_table_to_metadata('audit_events');
SELECT citus_add_local_table_to_metadata('schema_migrations');
