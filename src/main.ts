import 'reflect-metadata';
import { createApplication } from './create-application';
import { readConfig } from './platform/config/app-config';
import { createLogger } from './platform/logging/logger';
async function main() {
  const config = readConfig(process.env);
  const app = await createApplication(config, config.databaseUrl!, createLogger(config));
  await app.listen(config.port);
}
void main();
