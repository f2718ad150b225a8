import { readConfig, type AppConfig } from './app-config';

/** The configuration of this process. @throws ConfigError as `readConfig` */
export function configFromEnvironment(): AppConfig {
  return readConfig(process.env);
}
