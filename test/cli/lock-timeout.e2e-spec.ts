import { NestFactory } from '@nestjs/core';
import { AdminModule } from '../../src/cli/admin-application';
import { readConfig } from '../../src/platform/config/app-config';
import { Database } from '../../src/platform/database/database';
import { createLogger } from '../../src/platform/logging/logger';
import { createTestDatabase } from '../support/test-database';

it('commands wait for locks as long as LOCK_TIMEOUT_MS allows', async () => {
  const database = await createTestDatabase();
  const config = readConfig({ LOCK_TIMEOUT_MS: '1234' });
  const logger = createLogger({ logLevel: 'silent' });
  const module = AdminModule.of(config, database.url, logger);
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  try {
    const shown = await app.get(Database).runOnce('SHOW lock_timeout', []);
    expect(shown).toEqual([{ lock_timeout: '1234ms' }]);
  } finally {
    await app.close();
    await database.drop();
  }
});
