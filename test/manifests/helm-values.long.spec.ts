import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '../../src/platform/config/app-config';
import type { Json } from '../support/api-client';
import { fencesOf } from '../support/document/fence';
import { describeHelm, POOLED, rejection, render, SECRETS, TRIAL, type Values } from './helm';
import { only, podsOf } from './manifests';
import { settingsIn } from './settings-in';

// Each rendering starts a process.
describeHelm('the values of the Helm chart', () => {
  describe('docs/operations', () => {
    const page = (name: string): string =>
      readFileSync(join(__dirname, '../../docs/operations', name), 'utf8');

    it('has an example of values that the chart accepts', () => {
      const examples = fencesOf(page('kubernetes.md')).filter(({ text }) =>
        text.includes('existingSecret'),
      );
      expect(examples.map(({ language }) => language)).toEqual(['yaml']);
      const objects = render(parse(examples[0]?.text ?? '') as Values);
      expect(only(objects, 'HorizontalPodAutoscaler').spec.maxReplicas).toBe(6);
      expect(podsOf(objects)[0]?.spec.containers[0].image).toMatch(/@sha256:[0-9a-f]{64}$/);
    });

    it('names the connections that the chart counts, and those with the default settings', () => {
      const config = readConfig({});
      const direct =
        config.maxConcurrentImports +
        config.maxConcurrentExports +
        4 * config.maxConcurrentSyncs +
        3;
      const each = 2 * config.databasePoolSize + direct;
      const text = page('postgresql.md');
      expect(text).toContain(
        `With the defaults, \`per instance\` is 20 + 4 + 2 + 16 + 3 = ${each},`,
      );
      expect(text).toContain(`need (3 + 2) × ${each} + 10 = ${5 * each + 10}.`);
      // The settings of the chart, in the tests below: 35 for each of 10 instances.
      expect(page('kubernetes.md')).toContain('and 35 while destinations of connections are slow');
    });
  });

  describe('a value', () => {
    it.each([
      ['of a misspelled setting', { settings: { MAX_COLUMN: 9 } }, /MAX_COLUMN/],
      ['of a setting with a password', { settings: { REDIS_URL: 'redis://a' } }, /REDIS_URL/],
      ['of a setting of a wrong type', { settings: { MAX_COLUMNS: 'many' } }, /MAX_COLUMNS/],
      ['with a misspelled name', { replica: 3 }, /replica/],
      ['with a misspelled name below', { autoscaling: { maxReplica: 3 } }, /maxReplica/],
      ['of a digest that is none', { image: { digest: 'sha256:12' } }, /digest/],
      ['without the host of an ingress', { ingress: { enabled: true } }, /ingress/],
      ['without the listeners of a route', { httpRoute: { enabled: true } }, /httpRoute/],
      ['without the image of PgBouncer', { pgbouncer: { enabled: true } }, /pgbouncer/],
    ])('%s is rejected', (_, values, message) => {
      expect(rejection({ ...SECRETS, ...values })).toMatch(message);
    });

    it('is missing without a Secret and without a trial', () => {
      expect(rejection({})).toContain(
        'secrets.existingSecret is missing: name a Secret with DATABASE_URL. To try the service without a database of your own, set trial.postgresql.enabled.',
      );
    });

    it('is rejected if the password of the trial cannot be part of a URL', () => {
      const postgresql = { enabled: true, password: 'a/b' };
      expect(rejection({ trial: { postgresql } })).toMatch(/password/);
    });

    it('of a number, or of on and off, reaches the service as it reads them', () => {
      const settings = {
        QUOTA_ROWS: 10_000_000_000,
        COMPRESSION: false,
        REQUIRE_HTTPS: true,
        TRUSTED_PROXIES: '10.0.0.0/8,192.168.0.1',
        LOG_LEVEL: null,
      };
      const objects = render({ ...SECRETS, settings });
      expect(only(objects, 'ConfigMap').data).toMatchObject({
        QUOTA_ROWS: '10000000000',
        COMPRESSION: 'off',
        REQUIRE_HTTPS: 'on',
        TRUSTED_PROXIES: '10.0.0.0/8,192.168.0.1',
      });
      expect(only(objects, 'ConfigMap').data).not.toHaveProperty('LOG_LEVEL');
    });

    it('of a digest names the image instead of the tag', () => {
      const digest = `sha256:${'0a'.repeat(32)}`;
      const objects = render({ ...SECRETS, image: { repository: 'r/d', tag: '1', digest } });
      const images = podsOf(objects).map(({ spec }) => spec.containers[0].image as string);
      expect(images).toEqual([`r/d@${digest}`, `r/d@${digest}`]);
    });
  });

  describe('the number of database connections', () => {
    const scaled = { enabled: true, maxReplicas: 6 };

    it('must be known if instances are added automatically', () => {
      expect(rejection({ ...SECRETS, autoscaling: scaled })).toContain(
        'autoscaling needs database.maxConnections',
      );
    });

    it('must be sufficient for all instances during a rollout', () => {
      // (6 + 4) instances with 2 × 5 + 4 + 2 + 4 × 4 + 3 connections, and 10 reserved.
      const fits = { ...SECRETS, autoscaling: scaled, database: { maxConnections: 360 } };
      expect(render(fits).length).toBeGreaterThan(6);
      expect(rejection({ ...fits, database: { maxConnections: 359 } })).toContain(
        'database.maxConnections is 359, but the instances may need 360 connections: (6 of autoscaling.maxReplicas + 4 during a rollout) x 35 each + 10 reserved. Lower autoscaling.maxReplicas or settings.DATABASE_POOL_SIZE, use pgbouncer, or raise max_connections of PostgreSQL.',
      );
    });

    it('is checked for a fixed number of instances, too, if it is given', () => {
      expect(rejection({ ...SECRETS, database: { maxConnections: 100 } })).toContain(
        '(3 of replicas + 4 during a rollout) x 35 each',
      );
    });

    it('counts the pools of PgBouncer instead of those of the instances', () => {
      // (3 + 4) × (4 + 2 + 16 + 3) direct ones, (2 + 1) × 20 of PgBouncer, and 10 reserved.
      const fits = { ...POOLED, database: { maxConnections: 245 } };
      expect(render(fits).length).toBeGreaterThan(6);
      expect(rejection({ ...POOLED, database: { maxConnections: 244 } })).toContain(
        'x 25 each + (2 + 1) x 20 of PgBouncer + 10 reserved',
      );
    });

    it('cannot be checked without the settings by which it is computed', () => {
      const settings = { MAX_CONCURRENT_SYNCS: null };
      const database = { maxConnections: 500 };
      expect(rejection({ ...SECRETS, settings, database })).toContain(
        'settings.MAX_CONCURRENT_SYNCS is missing',
      );
    });
  });

  it('changes the pods if a setting changes', () => {
    const annotations = [{}, { LOG_LEVEL: 'warn' }].map((settings) => {
      const { spec } = only(render({ ...SECRETS, settings }), 'Deployment');
      return spec.template.metadata.annotations as Record<string, string>;
    });
    const [before, after] = annotations.map((each) => each['checksum/settings']);
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(after).not.toBe(before);
  });

  it('sizes the volume for exports and the time to stop by the settings', () => {
    const settings = { MAX_SPOOL_BYTES: 8 * 2 ** 30, SHUTDOWN_GRACE_SECONDS: 60 };
    const { spec } = only(render({ ...SECRETS, settings }), 'Deployment').spec.template;
    expect(spec.terminationGracePeriodSeconds).toBe(80);
    const [tmp] = spec.volumes as Json[];
    expect(tmp).toEqual({ name: 'tmp', emptyDir: { sizeLimit: '9728Mi' } });
    expect(spec.containers[0].resources.limits['ephemeral-storage']).toBe('10240Mi');
  });

  it('gives columnar copies a volume, and less than all of it', () => {
    const { spec } = only(render({ ...SECRETS, columnarMiB: 4096 }), 'Deployment').spec.template;
    const [container] = spec.containers as Json[];
    const env = container.env as readonly { readonly name: string; readonly value: string }[];
    const of = (name: string): string => env.find((each) => each.name === name)?.value ?? '';
    expect(spec.volumes[1]).toEqual({ name: 'columnar', emptyDir: { sizeLimit: '4096Mi' } });
    expect(container.volumeMounts[1]).toEqual({ name: 'columnar', mountPath: of('COLUMNAR_DIR') });
    expect(Number(of('MAX_COLUMNAR_BYTES'))).toBe(2048 * 2 ** 20);
    expect(container.resources.limits['ephemeral-storage']).toBe('8192Mi');
  });

  it('mounts the keys that seal secrets where SECRETS_KEY_FILE expects them', () => {
    const secretsKey = { existingSecret: 'keys', key: 'current.keys' };
    const objects = render({ ...SECRETS, secretsKey });
    const config = settingsIn(only(objects, 'ConfigMap').data);
    expect(config.secretsKeyFile).toBe('/etc/datagrid/keys/current.keys');
    const { spec } = only(objects, 'Deployment').spec.template;
    expect(spec.containers[0].volumeMounts).toContainEqual({
      name: 'keys',
      mountPath: '/etc/datagrid/keys',
      readOnly: true,
    });
  });

  it('admits no egress of the service but the one that is needed', () => {
    const policies = render({ ...SECRETS, networkPolicy: { outbound: { enabled: false } } });
    const { egress } = only(policies, 'NetworkPolicy').spec as { egress: Json[] };
    const ports = egress.flatMap((rule) => (rule.ports as Json[]).map(({ port }) => port));
    expect(ports).toEqual([53, 53, 5432, 6379]);
  });

  it('migrates before instances are replaced, but not before the database of a trial exists', () => {
    const hookOf = (values: Values): string =>
      only(render(values), 'Job').metadata.annotations['helm.sh/hook'];
    expect(hookOf(SECRETS)).toBe('pre-install,pre-upgrade');
    expect(hookOf(TRIAL)).toBe('pre-upgrade');
  });

  it('gives the service the addresses of the databases of a trial', () => {
    const objects = render(TRIAL);
    const secrets = objects.filter(({ metadata }) => metadata.name === 'datagrid-trial');
    const config = settingsIn(only(secrets, 'Secret').stringData);
    const services = objects.filter(({ kind }) => kind === 'Service');
    const addresses = services.map(
      ({ metadata, spec }) => `${String(metadata.name)}:${String(spec.ports[0].port)}`,
    );
    for (const url of [config.databaseUrl, config.redisUrl]) {
      expect(addresses).toContain(new URL(url ?? '').host);
    }
    const { spec } = only(objects, 'Deployment').spec.template;
    expect(spec.containers[0].envFrom).toEqual([
      { configMapRef: { name: 'datagrid-settings' } },
      { secretRef: { name: 'datagrid-trial' } },
    ]);
  });
});
