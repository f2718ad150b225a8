import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseKeyFile } from '../../src/platform/secrets/key-file';
import type { Json } from '../support/api-client';
import { CHART, describeHelm, lint, rejection, render, type Values } from './helm';
import { build, only, podsOf } from './manifests';
import { problemsOf } from './schema';
import { settingsIn } from './settings-in';

const ROOT = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const SECRETS = { secrets: { existingSecret: 'datagrid-secrets' } };

/** The installation of the example overlay, as values of the chart. */
const EXAMPLE: Values = {
  ...SECRETS,
  image: { repository: 'registry.example.com/datagrid' },
  secretsKey: { existingSecret: 'datagrid-keys' },
  settings: { TRUSTED_PROXIES: '10.0.0.0/8', REQUIRE_HTTPS: true },
  database: { maxConnections: 400 },
  autoscaling: { enabled: true },
  networkPolicy: {
    ingressNamespace: 'traefik',
    postgresql: { cidrs: ['10.20.0.0/16'] },
    traces: { enabled: true },
    outbound: { ports: [] },
  },
  ingress: {
    enabled: true,
    className: 'traefik',
    host: 'data.example.com',
    tlsSecret: 'datagrid-tls',
    annotations: { 'traefik.ingress.kubernetes.io/router.entrypoints': 'websecure' },
  },
};

const POOLED: Values = {
  ...SECRETS,
  pgbouncer: {
    enabled: true,
    image: 'registry.example.com/pgbouncer:1.24',
    usersSecret: 'pgbouncer-users',
    database: { host: 'postgres.example.com' },
  },
};

const TRIAL: Values = {
  trial: { postgresql: { enabled: true, password: 'secret1' }, redis: { enabled: true } },
};

/** Everything that the chart can create, in as few releases as possible. */
const INSTALLATIONS: readonly (readonly [string, Values])[] = [
  ['with its defaults', SECRETS],
  ['as in the example overlay', EXAMPLE],
  ['for a trial', TRIAL],
  [
    'with PgBouncer, a Gateway and the Prometheus Operator',
    {
      ...POOLED,
      image: { digest: `sha256:${'0a'.repeat(32)}`, pullSecrets: [{ name: 'registry' }] },
      httpRoute: {
        enabled: true,
        parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
        hostnames: ['data.example.com'],
      },
      metrics: {
        podMonitor: { enabled: true, labels: { release: 'prometheus' } },
        rules: { enabled: true, disk: true, labels: { release: 'prometheus' } },
        dashboard: { enabled: true },
      },
      scheduling: { nodeSelector: { pool: 'services' }, priorityClassName: 'high' },
      extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ca/ca.crt' }],
      extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }],
    },
  ],
];

/**
 * Returns an object without what only one of both ways to install has: labels and annotations of Helm
 * and Argo CD, the namespace, and the way in which a changed ConfigMap restarts the instances. Volumes
 * are sorted, because Kubernetes ignores their order.
 */
function comparable(object: Json): Json {
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (/^(app\.kubernetes\.io\/(instance|managed-by|version)|helm\.sh\/.*)$/.test(key)) return;
    if (/^(argocd\.argoproj\.io\/.*|checksum\/settings|namespace)$/.test(key)) return;
    if (key === 'annotations' && JSON.stringify(comparable(value)) === '{}') return;
    if (/^volume(s|Mounts)$/.test(key)) {
      return [...(value as { name: string }[])].sort((a, b) => a.name.localeCompare(b.name));
    }
    return value;
  });
  return JSON.parse(text.replaceAll(/datagrid-settings-[a-z0-9]{10}"/g, 'datagrid-settings"'));
}

/** Returns objects by kind and name. */
function byName(objects: readonly Json[]): Record<string, Json> {
  const entries = objects.map((object): [string, Json] => [
    `${String(object.kind)} ${String(object.metadata.name).replace(/-settings-.*/, '-settings')}`,
    comparable(object),
  ]);
  return Object.fromEntries(entries);
}

describeHelm('the Helm chart', () => {
  it('passes the checks of helm lint', () => {
    expect(lint(SECRETS)).toContain('0 chart(s) failed');
  });

  it('has the version of the service', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
    expect(chart).toMatchObject({ version, appVersion: version });
  });

  describe.each(INSTALLATIONS)('installed %s', (_, values) => {
    const objects = render(values);

    it('matches the schemas of Kubernetes and has no unknown properties', () => {
      expect(objects.length).toBeGreaterThan(6);
      expect(objects.flatMap(problemsOf)).toEqual([]);
    });

    it('runs no pod as root, with a writable image or with additional privileges', () => {
      const pods = podsOf(objects);
      expect(pods.length).toBeGreaterThan(1);
      for (const { spec } of pods) {
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const container of spec.containers) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources).toMatchObject({
            requests: { cpu: expect.any(String), memory: expect.any(String) },
            limits: { memory: expect.any(String) },
          });
        }
      }
    });

    it('gives each object a name of its own, and mounts only what exists', () => {
      const names = objects.map(({ kind, metadata }) => `${String(kind)} ${String(metadata.name)}`);
      expect(names).toEqual([...new Set(names)]);
      const existing = ['datagrid-secrets', 'datagrid-keys', 'pgbouncer-users', 'ca'];
      const known = [...existing, ...objects.map(({ metadata }) => String(metadata.name))];
      for (const { spec } of podsOf(objects)) {
        const volumes = (spec.volumes ?? []) as Json[];
        const sources = volumes.flatMap(({ configMap, secret }) => [
          ...(configMap ? [configMap.name] : []),
          ...(secret ? [secret.secretName] : []),
        ]);
        expect(sources.filter((name) => !known.includes(name))).toEqual([]);
        const containers = spec.containers as Json[];
        const mounts = containers.flatMap(({ volumeMounts = [] }): Json[] => volumeMounts);
        const claimed = volumes.map(({ name }) => String(name)).concat('data');
        expect(mounts.filter(({ name }) => !claimed.includes(name))).toEqual([]);
      }
    });

    it('sends requests and policies only to pods that exist', () => {
      const labels = podsOf(objects).map((pod) => pod.metadata.labels as Record<string, string>);
      const selectors = objects.flatMap(({ kind, spec }): Record<string, string>[] => {
        if (kind === 'Service') return [spec.selector];
        if (kind === 'NetworkPolicy') return [spec.podSelector.matchLabels];
        if (kind === 'PodDisruptionBudget' || kind === 'PodMonitor') {
          return [spec.selector.matchLabels];
        }
        return [];
      });
      expect(selectors.length).toBeGreaterThan(2);
      for (const selector of selectors) {
        const matching = labels.filter((each) =>
          Object.entries(selector).every(([name, value]) => each[name] === value),
        );
        expect({ selector, matching: matching.length }).not.toMatchObject({ matching: 0 });
      }
    });

    it('contains only valid settings', () => {
      const { data } = only(
        objects.filter(({ metadata }) => metadata.name === 'datagrid-settings'),
        'ConfigMap',
      );
      expect(settingsIn(data)).toMatchObject({ port: 3000, metricsPort: 9464 });
      for (const value of Object.values<string>(data)) expect(value).not.toMatch(/:\/\/.*@|e\+/);
    });
  });

  describe('installed as in the example overlay', () => {
    const objects = byName(render(EXAMPLE));
    const kustomized = [...build('overlays/example'), ...build('overlays/example/migration')];
    // The operator creates them before the release is installed.
    const expected = byName(kustomized.filter(({ kind }) => !/^(Namespace|Secret)$/.test(kind)));
    const migration = 'Job datagrid-migration';

    it('has the same objects as the kustomization', () => {
      expect(Object.keys(objects).sort()).toEqual(Object.keys(expected).sort());
      for (const name of Object.keys(expected).filter((each) => each !== migration)) {
        expect(objects[name]).toEqual(expected[name]);
      }
    });

    it('has the same migration as the kustomization, which also gets the settings', () => {
      const { env, ...container } = objects[migration].spec.template.spec.containers[0];
      expect([container]).toEqual(expected[migration].spec.template.spec.containers);
      objects[migration].spec.template.spec.containers = [container];
      expect(objects[migration]).toEqual(expected[migration]);
      const { data } = expected['ConfigMap datagrid-settings'];
      const given = env as { name: string; value: string }[];
      const inEnv = Object.fromEntries(given.map(({ name, value }) => [name, value]));
      // The migration does not mount the keys.
      expect({ ...inEnv, SECRETS_KEY_FILE: data.SECRETS_KEY_FILE }).toEqual(data);
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
        WEBHOOK_RETRY_SECONDS: '5,30',
        LOG_LEVEL: null,
      };
      const objects = render({ ...SECRETS, settings });
      expect(only(objects, 'ConfigMap').data).toMatchObject({
        QUOTA_ROWS: '10000000000',
        COMPRESSION: 'off',
        REQUIRE_HTTPS: 'on',
        WEBHOOK_RETRY_SECONDS: '5,30',
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
    expect(tmp).toEqual({ name: 'tmp', emptyDir: { sizeLimit: '8704Mi' } });
    expect(spec.containers[0].resources.limits['ephemeral-storage']).toBe('9216Mi');
  });

  it('mounts the keys that seal secrets where SECRETS_KEY_FILE expects them', () => {
    const secretsKey = { existingSecret: 'keys', key: 'current.keys' };
    const objects = render({ ...SECRETS, secretsKey });
    const config = settingsIn(only(objects, 'ConfigMap').data);
    expect(config.secretsKeyFile).toBe('/etc/datagrid/keys/current.keys');
    expect(parseKeyFile(`a:${Buffer.alloc(32).toString('base64')}`)).toHaveLength(1);
    const { spec } = only(objects, 'Deployment').spec.template;
    expect(spec.containers[0].volumeMounts).toContainEqual({
      name: 'keys',
      mountPath: '/etc/datagrid/keys',
      readOnly: true,
    });
  });

  it('has the alerts and the dashboard of deploy/prometheus and deploy/grafana', () => {
    const [, values] = INSTALLATIONS[3] ?? [];
    const objects = render(values ?? {});
    const groups = ['alerts', 'disk-alerts'].flatMap(
      (file) => (parse(read(`deploy/prometheus/${file}.yaml`)) as { groups: Json[] }).groups,
    );
    expect(only(objects, 'PrometheusRule').spec).toEqual({ groups });
    const dashboards = objects.filter(({ metadata }) =>
      String(metadata.name).endsWith('-dashboard'),
    );
    const text: string = only(dashboards, 'ConfigMap').data['datagrid-platform.json'];
    expect(JSON.parse(text)).toEqual(JSON.parse(read('deploy/grafana/datagrid-platform.json')));
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
