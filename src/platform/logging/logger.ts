import type { LoggerService } from '@nestjs/common';
import { pino, destination, type DestinationStream, type Logger as PinoLogger } from 'pino';
import type { AppConfig } from '../config/app-config';
import { errorFields } from './error-fields';

/** The service's one logger: JSON lines with fields. */
export abstract class Logger {
  abstract readonly pino: PinoLogger;
}

/** Just below the most that pino writes at once. */
const WRITE_BYTES = 16_000;
const WRITE_EVERY_MS = 100;

/**
 * Writes lines asynchronously, so that no request waits for a slow pipe, and many at a time: under
 * load a write for each would cost a tenth of the process. What a kill can lose is 100 ms of log.
 */
export function logDestination(fd: number): DestinationStream {
  return destination({ fd, sync: false, minLength: WRITE_BYTES, periodicFlush: WRITE_EVERY_MS });
}

/**
 * Lines go to standard output. No header and no body is ever given to it, and of errors only what cannot hold any of
 * them: that is how neither a key nor a value gets into a log.
 */
export function createLogger(
  config: Pick<AppConfig, 'logLevel'>,
  stream: DestinationStream = logDestination(1),
): Logger {
  return {
    pino: pino(
      {
        level: config.logLevel,
        base: null,
        timestamp: timeField,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { err: (error: unknown) => errorFields(error) },
      },
      stream,
    ),
  };
}

let fieldMs = Number.NaN;
let field = '';

/** The member `time` of a line: RFC 3339. Printed once for all lines of a millisecond. */
function timeField(): string {
  const nowMs = Date.now();
  if (nowMs !== fieldMs) {
    fieldMs = nowMs;
    field = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return field;
}

/** Waits until all lines are written. That a pipe cannot be synced to a disk is told as an error. */
export async function flushLog({ pino }: Logger): Promise<void> {
  await new Promise<void>((resolve) => {
    pino.flush(() => {
      resolve();
    });
  });
}

/** Nest's own messages, in the same log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    // What Nest tells of its start is of use only to those who debug it.
    this.logger.pino.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.pino.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.pino.error({ context, stack }, String(message));
  }
}
