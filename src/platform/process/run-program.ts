import { type AppConfig, configFromEnvironment } from '../config/app-config';
import { unknownInEnvironment, unknownSettingText } from '../config/unknown-settings';
import { createLogger, flushLog, type Logger } from '../logging/logger';
import { failureText, isExplained } from './operator-error';
import type { StopRequest } from './stop-request';

/**
 * Runs a program from reading its settings until it is asked to stop.
 * @param work Serves until then.
 * @returns the exit status of the process.
 */
export async function runProgram(
  stop: StopRequest,
  work: (config: AppConfig, logger: Logger) => Promise<void>,
): Promise<number> {
  let logger: Logger | undefined;
  let status = 0;
  try {
    const config = configFromEnvironment();
    logger = createLogger(config);
    await work(config, logger);
    await stop.made;
  } catch (error) {
    status = 1;
    if (!isExplained(error)) logger?.pino.fatal({ err: error }, 'service failed');
    process.stderr.write(`${failureText(error)}\n`);
  }
  if (logger) await flushLog(logger);
  return status;
}

/**
 * Warns of unknown settings, and of secrets of users that are stored as they are. Without the first
 * warning a misspelled setting has no visible effect: a quota is missing, or a limit is not enforced.
 */
export function warnOfSettings({ databaseUrl, secretsKeyFile }: AppConfig, { pino }: Logger): void {
  for (const unknown of unknownInEnvironment()) {
    pino.warn(unknown, 'unknown setting');
    process.stderr.write(`${unknownSettingText(unknown)}\n`);
  }
  // The embedded database has a key file of its own.
  if (databaseUrl === undefined || secretsKeyFile !== undefined) return;
  pino.warn('SECRETS_KEY_FILE is not set, secrets are stored in clear');
}

/** Logs when the process is asked to stop. */
export function reportStop({ pino }: Logger, stop: StopRequest): void {
  const report = (signal: NodeJS.Signals): void => {
    pino.info({ signal }, 'stopping');
  };
  // A stop that is not caused by a signal is reported as the failure that caused it.
  stop.made.then(report, () => undefined);
}
