import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { linkBase } from '../../src/auth/link-base';
import { settings } from '../../src/platform/config/settings';
import { settingsIn } from './settings-in';

const ROOT = join(__dirname, '../..');
const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${NAME:+replacement}` as Compose does. The texts after the
 * sign may have variables, too.
 */
function interpolate(template: string, env: Environment): string {
  const variable = /\$\{(\w+)(?::([-+])((?:[^{}$]|\$\{[^{}]*\})*))?\}/g;
  return template.replaceAll(variable, (_, name: string, sign?: string, other = '') => {
    const value = env[name] ?? '';
    if (sign === undefined || (sign === '-' && value !== '')) return value;
    return sign === '+' && value === '' ? '' : interpolate(other, env);
  });
}

/** Reads the file as Compose does, beside a file `.env` with this text. */
function composed(envText = ''): ReturnType<typeof parse> {
  const fromFile = parseEnv(envText);
  const file = parse(interpolate(text, fromFile));
  // `environment` takes precedence over `env_file`.
  const environment = { ...fromFile, ...file.services.service.environment };
  return { ...file, environment };
}

const { services, volumes } = composed();
const { service, database, limits } = services;

describe('docker-compose.yml without .env', () => {
  const { environment } = composed();
  const config = settingsIn(environment);

  it('runs the service on its own database and port', () => {
    const { username, password, hostname, pathname } = new URL(config.databaseUrl ?? '');
    expect(config.port).toBe(3000);
    expect(service.ports).toEqual(['3000:3000']);
    expect(Object.keys(services)).toContain(hostname);
    expect(database.environment).toEqual({
      POSTGRES_USER: username,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: pathname.slice(1),
    });
  });

  it('lets a command create a link with which the first user signs in', () => {
    expect(linkBase(config)).toBe('http://localhost:3000');
  });
});

describe('docker-compose.yml with .env', () => {
  it('runs the service on the database, Redis and URL of .env', () => {
    const url = 'postgres://ada:secret@db.example.com:5433/grids';
    const redis = 'redis://redis.example.com:6379';
    const publicUrl = 'https://data.example.com';
    const { environment } = composed(
      `DATABASE_URL=${url}\nREDIS_URL=${redis}\nPUBLIC_URL=${publicUrl}\n`,
    );
    const config = settingsIn(environment);
    expect(config).toMatchObject({ databaseUrl: url, redisUrl: redis, publicUrl });
    expect(linkBase(config)).toBe(publicUrl);
  });

  it('passes every setting of .env to the service, except the address and port of the machine', () => {
    const uncommented = readFileSync(join(ROOT, '.env.example'), 'utf8')
      .replaceAll(/^#?[A-Z_]+=\n/gm, '')
      .replaceAll(/^#(?: Example: )?(?=[A-Z_]+=)/gm, '');
    const given = parseEnv(uncommented);
    expect(Object.keys(given).sort()).toEqual(Object.keys(settings.shape).sort());
    const { environment } = composed(uncommented);
    const differing = Object.keys(given).filter((name) => environment[name] !== given[name]);
    expect(differing.sort()).toEqual(['HOST']);
  });

  it('publishes the address and port of .env, and has them in links', () => {
    const { services: own, environment } = composed('HOST=127.0.0.1\nPORT=8080\n');
    expect(own.service.ports).toEqual(['127.0.0.1:8080:3000']);
    const config = settingsIn(environment);
    // In the container, the service listens on all addresses.
    expect([config.port, config.host]).toEqual([3000, undefined]);
    expect(linkBase(config)).toBe('http://localhost:8080');
  });

  it('gives the password of .env to both the database and the service', () => {
    const { services: own, environment } = composed('POSTGRES_PASSWORD=other\n');
    expect(own.database.environment.POSTGRES_PASSWORD).toBe('other');
    expect(new URL(environment.DATABASE_URL).password).toBe('other');
  });

  it('uses the defaults for settings that .env leaves empty', () => {
    const empty = composed('DATABASE_URL=\nREDIS_URL=\nPUBLIC_URL=\nPORT=\nHOST=\n');
    expect(empty.environment).toEqual(composed().environment);
    expect(empty.services).toEqual(services);
  });
});

describe('docker-compose.yml', () => {
  it('runs Redis for the rate limits, without persistence', () => {
    expect(new URL(service.environment.REDIS_URL).hostname).toBe('limits');
    expect(limits.image).toMatch(/^redis:/);
    const command: string[] = limits.command;
    expect(command.join(' ')).toMatch(/^redis-server --save {2}--appendonly no /);
    expect(Object.keys(service.depends_on)).toEqual(['database', 'limits']);
  });

  it('runs the image without additional privileges, and gives it enough time to stop', () => {
    expect(service).toMatchObject({
      build: '.',
      read_only: true,
      volumes: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    // Longer than SHUTDOWN_GRACE_SECONDS, which is 20 unless set.
    expect(parseInt(service.stop_grace_period, 10)).toBeGreaterThanOrEqual(25);
  });

  it('stores the data in a volume', () => {
    expect(database.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(Object.keys(volumes)).toEqual(['database']);
  });
});
