import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountService } from '../../../src/auth/account.service';
import type { KeyAccess } from '../../../src/auth/api-key/key-access';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { PasswordService } from '../../../src/auth/password/password.service';
import { ScimTokenService } from '../../../src/auth/scim-token/scim-token.service';
import { SessionService } from '../../../src/auth/session/session.service';
import { UserService } from '../../../src/auth/user/user.service';
import { AdminModule } from '../../../src/cli/admin-application';
import { readConfig } from '../../../src/platform/config/app-config';
import { createLogger } from '../../../src/platform/logging/logger';

export interface Owner {
  readonly accountId: string;
  readonly email: string;
  readonly key: string;
}

/** Creates an account, its owner and a key, and the schema in an empty database. */
export function newOwner(databaseUrl: string): Promise<Owner> {
  const email = `owner-${randomUUID()}@example.com`;
  return asOperator(databaseUrl, async (app) => {
    const { accountId, userId } = await app.get(AccountService).create('Faults', email);
    const { key } = await app.get(ApiKeyService).create(userId, 'Faults', null, 'operator');
    return { accountId, email, key };
  });
}

/** Creates a token of a directory of the account. */
export function newScimToken(databaseUrl: string, accountId: string): Promise<string> {
  return asOperator(databaseUrl, async (app) => {
    const tokens = app.get(ScimTokenService);
    return (await tokens.create(accountId, 'Faults', null, 'operator')).token;
  });
}

/** Signs a user in to the console. @returns the token of the session. */
export function newSession(databaseUrl: string, email: string): Promise<string> {
  return asOperator(databaseUrl, async (app) => {
    const user = await app.get(UserService).getByEmail(email);
    const client = { userAgent: 'Faults', address: '127.0.0.1' };
    return (await app.get(SessionService).start(user.id, client)).token;
  });
}

/** Sets the password of a user, without the rules of the service. */
export function setPassword(databaseUrl: string, email: string, password: string): Promise<void> {
  return asOperator(databaseUrl, async (app) => {
    const user = await app.get(UserService).getByEmail(email);
    const passwords = app.get(PasswordService);
    await passwords.set(user.id, await passwords.hash(password));
  });
}

/** Creates another key of a user. */
export async function newKey(
  databaseUrl: string,
  email: string,
  access?: KeyAccess,
): Promise<{ readonly id: string; readonly key: string }> {
  const [key] = await newKeys(databaseUrl, email, 1, access);
  if (!key) throw new Error('No key was created.');
  return key;
}

/** Creates several keys of a user. */
export function newKeys(
  databaseUrl: string,
  email: string,
  count: number,
  access?: KeyAccess,
): Promise<readonly { readonly id: string; readonly key: string }[]> {
  return asOperator(databaseUrl, async (app) => {
    const user = await app.get(UserService).getByEmail(email);
    const keys = app.get(ApiKeyService);
    return Promise.all(
      Array.from({ length: count }, () => keys.create(user.id, 'More', null, 'operator', access)),
    );
  });
}

/** Runs `work` with the services of the operators' commands, without a process for each command. */
async function asOperator<T>(
  databaseUrl: string,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = readConfig({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' });
  const logger = createLogger(config, process.stderr);
  const app = await NestFactory.createApplicationContext(
    AdminModule.of(config, databaseUrl, logger, 'create'),
    { logger: false, abortOnError: false },
  );
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
