import { type DynamicModule, Global, type LoggerService, Module } from '@nestjs/common';
import { destination, type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import type { AppConfig } from '../config/app-config';
import { errorFields } from './error-fields';

/** Logger of the service. Writes JSON lines with fields. */
export abstract class Logger {
  abstract readonly pino: PinoLogger;
}

/** Number of characters that are written at once, just below the maximum that pino does not divide. */
const WRITE_LENGTH = 16_000;
const WRITE_EVERY_MS = 100;

/**
 * Writes lines asynchronously, so that no request waits for a slow pipe, and in batches: under load, one
 * write per line would cost a tenth of the process's time. If the process is killed, up to 100 ms of log
 * are lost. The lines are collected here, because pino's own buffer copies all of its lines for each
 * line that is added, which took 5 % of the CPU time of a page of 20 rows.
 */
export class LogDestination implements DestinationStream {
  private lines = '';
  private isPlanned = false;
  private readonly output: ReturnType<typeof destination>;

  constructor(fd: number) {
    // Before those of the output, which then writes what it got here.
    process.once('beforeExit', this.pass);
    process.once('exit', this.pass);
    this.output = destination({ fd, sync: false, minLength: 1 });
  }

  write(line: string): void {
    this.lines += line;
    if (this.lines.length >= WRITE_LENGTH) {
      this.pass();
    } else if (!this.isPlanned) {
      this.isPlanned = true;
      setTimeout(this.passLater, WRITE_EVERY_MS).unref();
    }
  }

  /** Writes all lines, and then calls back. */
  flush(done: (error?: Error) => void): void {
    this.pass();
    this.output.flush(done);
  }

  private readonly passLater = (): void => {
    this.isPlanned = false;
    this.pass();
  };

  private readonly pass = (): void => {
    const { lines } = this;
    this.lines = '';
    if (lines !== '') this.output.write(lines);
  };
}

/**
 * Creates the logger, which writes to standard output. It never receives headers or bodies, and
 * logs only those fields of errors that cannot contain them, so that no key or value reaches the
 * log.
 */
export function createLogger(
  config: Pick<AppConfig, 'logLevel'>,
  stream: DestinationStream = new LogDestination(1),
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

/** Returns the `time` property of a line in RFC 3339. Lines of the same millisecond reuse it. */
function timeField(): string {
  const nowMs = Date.now();
  if (nowMs !== fieldMs) {
    fieldMs = nowMs;
    field = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return field;
}

/**
 * Waits until all lines are written. Ignores the flush error, which a pipe always reports because
 * it cannot be synced to disk.
 */
export async function flushLog({ pino }: Logger): Promise<void> {
  await new Promise<void>((resolve) => {
    pino.flush(() => {
      resolve();
    });
  });
}

/** Writes Nest's own messages to the service's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    // Nest's messages about its start are useful for debugging only.
    this.logger.pino.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.pino.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.pino.error({ context, stack }, String(message));
  }
}

@Global()
@Module({})
export class LoggingModule {
  static of(logger: Logger): DynamicModule {
    return {
      module: LoggingModule,
      providers: [{ provide: Logger, useValue: logger }],
      exports: [Logger],
    };
  }
}
