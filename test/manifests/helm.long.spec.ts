import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Json } from '../support/api-client';
import { CHART, describeHelm, lint, POOLED, render, SECRETS, TRIAL, type Values } from './helm';
import { build, only, podsOf } from './manifests';
import { problemsOf } from './schema';
import { settingsIn } from './settings-in';

const ROOT = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

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
});
