import { shorten } from '../../common/text/shorten';

/** Of PostgreSQL's errors and the system's: what names things of ours, and no value of a client's. */
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
  /** Of TypeORM's errors: what the driver threw. */
  readonly driverError?: unknown;
  /** Of TypeORM's errors: the text, whose values stand apart from it. */
  readonly query?: unknown;
  /** The name of one of our statements. */
  readonly statement?: unknown;
  /** Of failures that were tried on several addresses. */
  readonly errors?: unknown;
}

/**
 * What the log says of an error. Not all of it: PostgreSQL's details and TypeORM's parameters hold
 * what clients sent.
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

/** Not by `instanceof`: an error of Node's own may come from another realm. */
function isError(error: unknown): error is Fault {
  return typeof error === 'object' && error !== null && 'message' in error && 'stack' in error;
}

/** Errors in data (class 22) quote the data, and so do those of parsers. */
function loggableMessage({ code, name }: Fault, message: string): string {
  const quotes = name === 'SyntaxError' || (typeof code === 'string' && /^22...$/.test(code));
  return quotes ? message.replace(/".*"/s, '"…"') : message;
}

/** The stack without the message at its head. */
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
