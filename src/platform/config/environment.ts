import { readConfig, type AppConfig } from './app-config';
import { unknownSettings, type UnknownSetting } from './unknown-settings';

/**
 * Returns the configuration of this process.
 * @throws ConfigError as `readConfig` does.
 */
export function configFromEnvironment(): AppConfig {
  return readConfig(process.env);
}

/** Returns the names in this process's environment that look like misspelled settings. */
export function unknownInEnvironment(): UnknownSetting[] {
  return unknownSettings(process.env);
}
