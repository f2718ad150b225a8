/**
 * Settings of the embedded server, for a machine that it shares with the service. All others keep
 * PostgreSQL's defaults. In particular, a commit is on disk before PostgreSQL reports success.
 */
const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  // Most disks are solid-state, and short queries do not recoup the cost of compilation.
  random_page_cost: '1.1',
  jit: 'off',
  // The same on every machine, regardless of its time zone.
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // The log contains no statements and no row values, because they may be confidential.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** Returns the server's command-line arguments. */
export function serverArguments(
  clusterDir: string,
  socketDir: string,
  settings: Readonly<Record<string, string>>,
): string[] {
  const all: Record<string, string> = {
    ...DEFAULT_SETTINGS,
    ...settings,
    // No TCP port: only processes that can enter the socket's directory can connect.
    listen_addresses: '',
    port: '5432',
    // The value is a list of directories, so a path with a comma needs quotes.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterDir, ...options];
}
