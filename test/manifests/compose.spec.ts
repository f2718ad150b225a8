import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { settingsIn } from './settings-in';

const text = readFileSync(join(__dirname, '../../docker-compose.yml'), 'utf8');
const { services, volumes } = parse(text);

describe('docker-compose.yml', () => {
  const { service, database, limits } = services;

  it('contains only valid settings of the service', () => {
    const values = Object.entries<string>(service.environment).map(([name, value]) => [
      name,
      // The default.
      value.replace(/\$\{\w+:-(\w+)\}/g, '$1'),
    ]);
    const config = settingsIn(Object.fromEntries(values));
    const { username, password, hostname, pathname } = new URL(config.databaseUrl ?? '');
    expect(config.port).toBe(3000);
    expect(service.ports).toEqual(['${PORT:-3000}:3000']);
    expect(Object.keys(services)).toContain(hostname);
    expect(database.environment).toEqual({
      POSTGRES_USER: username,
      POSTGRES_PASSWORD: expect.stringMatching(/^\$\{POSTGRES_PASSWORD:-datagrid\}$/),
      POSTGRES_DB: pathname.slice(1),
    });
    expect(password).toBe('datagrid');
    expect(service.environment.DATABASE_URL).toContain(database.environment.POSTGRES_PASSWORD);
  });

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
