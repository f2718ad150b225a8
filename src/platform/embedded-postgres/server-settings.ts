/**
 * Settings of the embedded server, for a machine that it shares with the service. What they do not
 * name stays as PostgreSQL has it: in particular a commit is on the disk before it is answered.
 */
const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  // Disks are solid by now, and short queries never earn back a compilation.
  random_page_cost: '1.1',
  jit: 'off',
  // The same on every machine, whatever its own time zone is.
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // No statement and no row's values in the log: they may hold what is nobody's business.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** The server's command line, without the program itself. */
export function serverArguments(
  clusterDir: string,
  socketDir: string,
  settings: Readonly<Record<string, string>>,
): string[] {
  const all: Record<string, string> = {
    ...DEFAULT_SETTINGS,
    ...settings,
    // No port: only who gets into the socket's directory gets in.
    listen_addresses: '',
    port: '5432',
    // A list of directories, so that a comma in a path needs quotes.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterDir, ...options];
}
