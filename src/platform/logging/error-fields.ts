import { shorten } from '../../common/text/id';

/**
 * Logged fields of PostgreSQL and system errors: they name objects of the service and hold no
 * client data.
 */
const FIELDS = [
  'code',
  'severity',
  'constraint',
  'table',
  'column',
  'routine',
  'syscall',
  'address',
  'port',
] as const;

const MAX_CAUSES = 5;
const MAX_STATEMENT_LENGTH = 300;

interface Fault extends Error {
  readonly code?: unknown;
  /** Error of the driver, in errors of TypeORM. */
  readonly driverError?: unknown;
  /** SQL text without its values, in errors of TypeORM. */
  readonly query?: unknown;
  /** Name of a prepared statement of the service. */
  readonly statement?: unknown;
  /** Errors of the addresses that were tried, if there were several. */
  readonly errors?: unknown;
}

/**
 * Returns the fields of an error for the log. Omits PostgreSQL's details and TypeORM's parameters,
 * which contain client data.
 */
export function errorFields(error: unknown, depth = 1): object {
  if (!isError(error)) return { type: typeof error };
  const { driverError, query, statement } = error;
  const fault = isError(driverError) ? driverError : error;
  const message = loggableMessage(fault, error.message);
  const type = error.constructor.name;
  const all = fault as unknown as Readonly<Record<string, unknown>>;
  const named = FIELDS.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]));
  return {
    type,
    message,
    ...(Object.fromEntries(named) as object),
    ...statementField(statement ?? query),
    stack: `${type}: ${message}${frames(error)}`,
    ...(depth < MAX_CAUSES && causeFields(error, depth)),
  };
}

/** Not by `instanceof`: errors of Node may come from another realm. */
function isError(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && 'message' in error && 'stack' in error;
}

/**
 * Removes quoted text from messages of data exceptions (class 22) and parsers, which quote the
 * data.
 */
function loggableMessage({ code, name }: Fault, message: string): string {
  const quotes = name === 'SyntaxError' || (typeof code === 'string' && /^22...$/.test(code));
  return quotes ? message.replace(/".*"/s, '"…"') : message;
}

/** Returns the stack without the message at its beginning. */
function frames({ stack = '', message }: Error): string {
  const at = stack.indexOf(message);
  return at === -1 ? '' : stack.slice(at + message.length);
}

function statementField(statement: unknown): object {
  if (typeof statement !== 'string') return {};
  return { statement: shorten(statement, MAX_STATEMENT_LENGTH) };
}

function causeFields({ cause, errors }: Fault, depth: number): object {
  return {
    ...(cause !== undefined && { cause: errorFields(cause, depth + 1) }),
    ...(Array.isArray(errors) && { errors: errors.map((each) => errorFields(each, depth + 1)) }),
  };
}
