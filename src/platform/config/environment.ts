import { readConfig, type AppConfig } from './app-config';
import { unknownSettings, type UnknownSetting } from './unknown-settings';

/** The configuration of this process. @throws ConfigError as `readConfig` */
export function configFromEnvironment(): AppConfig {
  return readConfig(process.env);
}

/** Names in the environment of this process that look like misspelt settings. */
export function unknownInEnvironment(): UnknownSetting[] {
  return unknownSettings(process.env);
}
