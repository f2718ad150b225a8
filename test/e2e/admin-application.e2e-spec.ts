import { NestFactory } from '@nestjs/core';
import { AdminModule } from '../../src/cli/admin-application';
import { AppConfig } from '../../src/platform/config/app-config';
import { Logger } from '../../src/platform/logging/logger';
import { TestApp } from '../support/test-app';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.shared();
});

afterAll(() => app.close());

// It has fewer modules than the service, and the tests of the commands take long.
it('the application of the commands has all that its services need', async () => {
  const part = <T>(type: abstract new (...parameters: never[]) => T): T =>
    app.nest.get(type, { strict: false });
  const module = AdminModule.of(part(AppConfig), app.database.url, part(Logger), 'current');
  const admin = await NestFactory.createApplicationContext(module, {
    ...{ logger: false, abortOnError: false },
  });
  await expect(admin.close()).resolves.toBeUndefined();
});
