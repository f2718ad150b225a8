import { InvalidArgumentError, type Command } from 'commander';
import { AccountService } from '../../auth/account/account.service';
import { auditEventView, type AuditEventView } from '../../auth/audit/audit-view';
import { AuditService } from '../../auth/audit/audit.service';
import { isUuid } from '../../common/text/id';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../missing';

const USUAL_LIMIT = 100;
const MAX_LIMIT = 1_000;

interface List {
  readonly account: string;
  readonly limit: number;
  readonly cursor?: string;
}

const list: Work<List> = async (app, { account, limit, cursor }) => {
  await orMissing(`account ${account}`, app.get(AccountService).get(account));
  const page = await app.get(AuditService).list(account, cursor ?? null, limit);
  const events = page.events.map(auditEventView);
  const rest = page.nextCursor === null ? [] : [`more: --cursor ${page.nextCursor}`];
  const text = [...events.map(lineOf), ...rest].join('\n');
  return {
    json: { events, nextCursor: page.nextCursor },
    text: text === '' ? `Nothing is recorded of account ${account}.` : text,
  };
};

function lineOf({ at, action, by, target, details }: AuditEventView): string {
  const who = [by.via, by.email, by.keyName].filter((part) => part !== null).join(' ');
  const more = Object.entries(details).map(([name, value]) => `${name}=${String(value)}`);
  const what = [target.kind, target.name ?? target.id, ...more].join(' ');
  return `${at.toISOString()}  ${action}  ${what}  by ${who}`;
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${String(MAX_LIMIT)}.`);
}

function readCursor(text: string): string {
  if (isUuid(text)) return text;
  throw new InvalidArgumentError('Give what the page before has told.');
}

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('tell what was done in an account');
  runs(
    audit
      .command('list')
      .description('list events, newest first')
      .requiredOption('--account <id>', 'the account')
      .option('--limit <count>', 'events to list', readLimit, USUAL_LIMIT)
      .option('--cursor <cursor>', 'where the page before has ended', readCursor),
    list,
  );
}
