import { InvalidArgumentError, type Command } from 'commander';
import { AccountService } from '../../auth/account.service';
import { auditEventView, type AuditEventView, AuditService } from '../../auth/audit/audit.service';
import { isUuid } from '../../common/text/id';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';
import { readLimit, USUAL_LIMIT } from './options';

interface List {
  readonly account: string;
  readonly limit: number;
  readonly cursor?: string;
}

const list: Work<List> = async (app, { account, limit, cursor }) => {
  await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const page = await app.get(AuditService).list(account, cursor ?? null, limit);
  const events = page.events.map(auditEventView);
  const rest = page.nextCursor === null ? [] : [`next page: --cursor ${page.nextCursor}`];
  const text = [...events.map(lineOf), ...rest].join('\n');
  return {
    json: { events, nextCursor: page.nextCursor },
    text: text === '' ? `Account ${account} has no audit events.` : text,
  };
};

function lineOf({ at, action, by, target, details }: AuditEventView): string {
  const who = [by.via, by.email, by.keyName].filter((part) => part !== null).join(' ');
  const more = Object.entries(details).map(([name, value]) => `${name}=${String(value)}`);
  const what = [target.kind, target.name ?? target.id, ...more].join(' ');
  return `${at.toISOString()}  ${action}  ${what}  by ${who}`;
}

function readCursor(text: string): string {
  if (isUuid(text)) return text;
  throw new InvalidArgumentError('Expected the cursor printed after the previous page.');
}

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('list audit events');
  runs(
    audit
      .command('list')
      .description('list the audit events of an account, newest first')
      .requiredOption('--account <id>', 'id of the account')
      .option('--limit <count>', 'maximum number of events', readLimit, USUAL_LIMIT)
      .option('--cursor <cursor>', 'continue after the previous page', readCursor),
    list,
  );
}
