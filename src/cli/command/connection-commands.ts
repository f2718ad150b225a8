import type { Command } from 'commander';
import { AccountService } from '../../auth/account.service';
import { AppError } from '../../common/error/app-error';
import type {
  ConnectionFilter,
  OperatedConnection,
} from '../../connections/connection-admin.repository';
import { ConnectionAdminService } from '../../connections/connection-admin.service';
import { statusOf } from '../../connections/connection.service';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';
import { readId, readLimit, USUAL_LIMIT } from './options';

interface ConnectionDescription {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly type: string;
  readonly status: string;
  readonly tables: number;
  readonly failingTables: number;
  readonly imports: number;
  readonly failingImports: number;
  readonly lastErrorAt: string | null;
  readonly lastError: string | null;
  readonly syncedAt: string | null;
}

const list: Work<ConnectionFilter & { readonly limit: number }> = async (app, options) => {
  const { account, limit } = options;
  if (account) await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const [found, total] = await app.get(ConnectionAdminService).list(options, limit);
  const connections = found.map(describe);
  const rest = total - connections.length;
  const more = rest > 0 ? [`${String(rest)} more: use a greater --limit`] : [];
  const text = [...connections.map(lineOf), ...more].join('\n');
  return { json: { connections, total }, text: text === '' ? 'No connections found.' : text };
};

function describe(connection: OperatedConnection): ConnectionDescription {
  const { id, accountId, workspaceId, type, tables, failingTables, lastError } = connection;
  return {
    id,
    accountId,
    workspaceId,
    type,
    status: statusOf(connection),
    tables,
    failingTables,
    imports: connection.imports,
    failingImports: connection.failingImports,
    lastErrorAt: connection.lastErrorAt?.toISOString() ?? null,
    lastError,
    syncedAt: connection.syncedAt?.toISOString() ?? null,
  };
}

function lineOf(connection: ConnectionDescription): string {
  const { id, accountId, workspaceId, type, status, tables, failingTables } = connection;
  const { imports, failingImports, lastErrorAt, lastError, syncedAt } = connection;
  const names = `${id}  account ${accountId}  workspace ${workspaceId}  ${type}  ${status}`;
  const counts = `${String(tables)} tables, ${String(failingTables)} failing`;
  const synced = syncedAt === null ? [] : [`synced at ${syncedAt}`];
  const error = lastErrorAt === null ? [] : [`last error at ${lastErrorAt}: ${lastError ?? ''}`];
  const read =
    imports === 0
      ? []
      : [`${String(imports)} scheduled imports, ${String(failingImports)} failing`];
  return [names, counts, ...read, ...synced, ...error].join('  ');
}

interface PauseOptions {
  readonly id?: string;
  readonly account?: string;
  readonly all?: boolean;
}

const pause: Work<PauseOptions> = async (app, { id, account, all }) => {
  const given = [id, account, all].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new AppError('invalid_request', 'Use exactly one of --id, --account and --all.');
  }
  const service = app.get(ConnectionAdminService);
  if (account) await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const paused =
    id !== undefined
      ? await orMissing(`Connection ${id}`, service.pause({ connectionId: id }))
      : await service.pause(account === undefined ? 'all' : { accountId: account });
  return {
    json: { paused },
    text: `${String(paused.length)} connections were paused. Their accounts can resume them.`,
  };
};

export function addConnectionCommands(program: Command): void {
  const connection = program.command('connection').description('list and pause connections');
  runs(
    connection
      .command('list')
      .description('list connections, those first that fail, paused ones last')
      .option('--account <id>', 'only connections of this account')
      .option('--workspace <id>', 'only connections of this workspace', readId)
      .option(
        '--failing',
        'only connections with a table or a scheduled import whose last run failed',
      )
      .option('--limit <count>', 'maximum number of connections', readLimit, USUAL_LIMIT),
    list,
  );
  runs(
    connection
      .command('pause')
      .description('pause connections; use --all in a copy of an installation')
      .option('--id <id>', 'the connection with this id')
      .option('--account <id>', 'all connections of this account')
      .option('--all', 'all connections of all accounts'),
    pause,
  );
}
