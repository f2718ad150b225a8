import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { parseKeyFile } from '../../src/platform/secrets/key-file';
import type { Json } from '../support/api-client';
import { build, KUSTOMIZATIONS, only, podsOf } from './manifests';
import { problemsOf } from './schema';
import { settingsIn, unknownSettings } from './settings-in';

const built = new Map(KUSTOMIZATIONS.map((path) => [path, build(path)]));
const objectsOf = (path: string): Json[] => built.get(path) ?? [];
const EXAMPLE = 'overlays/example';

type Labels = Readonly<Record<string, string>>;
const matches = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

it('the manifests contain a base, a migration and an example overlay of both', () => {
  expect(KUSTOMIZATIONS).toEqual(['base', 'migration', EXAMPLE, `${EXAMPLE}/migration`]);
});

describe.each(KUSTOMIZATIONS)('deploy/kubernetes/%s', (path) => {
  it('matches the schemas of Kubernetes and has no unknown properties', () => {
    const objects = objectsOf(path);
    expect(objects.length).toBeGreaterThan(0);
    expect(objects.flatMap(problemsOf)).toEqual([]);
  });

  it('runs no pod as root, with a writable image or with additional privileges', () => {
    const pods = podsOf(objectsOf(path));
    expect(pods).toHaveLength(1);
    // The user of the image.
    const [, uid, gid] =
      /^USER (\d+):(\d+)$/m.exec(readFileSync(join(__dirname, '../../Dockerfile'), 'utf8')) ?? [];
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      });
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: Number(uid),
        runAsGroup: Number(gid),
        seccompProfile: { type: 'RuntimeDefault' },
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

  it('contains only existing settings', () => {
    for (const { spec } of podsOf(objectsOf(path))) {
      for (const { env = [] } of spec.containers) {
        const given = env as { name: string; value: string }[];
        const values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
        expect(unknownSettings(values)).toEqual([]);
      }
    }
  });
});

describe('the check against the schemas', () => {
  const service = (): Json => structuredClone(only(objectsOf('base'), 'Service'));

  it.each([
    ['a property of a wrong type', (it: Json) => (it.spec.ports[0].port = '80')],
    ['a missing property', (it: Json) => delete it.spec.ports[0].port],
    ['a misspelled property', (it: Json) => (it.spec.selectors = {})],
    ['a misspelled property in a list', (it: Json) => (it.spec.ports[0].targetport = 'http')],
    ['a misspelled property at the top', (it: Json) => (it.specs = {})],
    ['a value that is not in the list of values', (it: Json) => (it.spec.type = 'Clusterip')],
  ])('reports %s', (_, spoil) => {
    const object = service();
    expect(problemsOf(object)).toEqual([]);
    spoil(object);
    expect(problemsOf(object)).not.toEqual([]);
  });
});

describe('the example overlay', () => {
  const objects = objectsOf(EXAMPLE);
  const deployment = only(objects, 'Deployment');
  const pod = deployment.spec.template;
  const [container] = pod.spec.containers as Json[];
  const settings = only(objects, 'ConfigMap');
  const named = (name: string): Json[] => objects.filter(({ metadata }) => metadata.name === name);
  const secret = only(named('datagrid-secrets'), 'Secret');
  const keys = only(named('datagrid-keys'), 'Secret');
  const environment = { ...settings.data, ...secret.stringData } as Record<string, string>;
  const config = settingsIn(environment);

  it('contains valid settings from its ConfigMap and its Secret', () => {
    expect(container.envFrom).toEqual([
      { configMapRef: { name: settings.metadata.name } },
      { secretRef: { name: secret.metadata.name } },
    ]);
    // A change of the settings changes the name, and therefore restarts the instances.
    expect(settings.metadata.name).toMatch(/^datagrid-settings-[a-z0-9]{10}$/);
    expect(config).toMatchObject({ publicUrl: 'https://data.example.com' });
    expect(config.databaseUrl).toBeDefined();
  });

  it('contains no secret value', () => {
    const values = [secret, keys].flatMap(({ stringData }) => Object.values<string>(stringData));
    expect(values).toHaveLength(3);
    for (const value of values) expect(value).toMatch('CHANGE-ME');
    for (const value of Object.values<string>(settings.data)) expect(value).not.toMatch(/:\/\/.*@/);
  });

  it('puts all objects in one namespace, which enforces the restricted pod security standard', () => {
    const { metadata } = only(objects, 'Namespace');
    expect(metadata.labels).toEqual({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const others = objects.filter(({ kind }) => kind !== 'Namespace');
    for (const object of others) expect(object.metadata.namespace).toBe(metadata.name);
  });

  it('selects its pods by labels that they have', () => {
    const { labels } = pod.metadata;
    const spreads = pod.spec.topologySpreadConstraints as Json[];
    const selectors: Labels[] = [
      deployment.spec.selector.matchLabels,
      only(objects, 'Service').spec.selector,
      only(objects, 'PodDisruptionBudget').spec.selector.matchLabels,
      only(objects, 'NetworkPolicy').spec.podSelector.matchLabels,
      ...spreads.map((each) => each.labelSelector.matchLabels),
    ];
    expect(selectors).toHaveLength(6);
    for (const selector of selectors) {
      expect(Object.keys(selector)).not.toEqual([]);
      expect(matches(selector, labels)).toBe(true);
    }
    expect(only(objects, 'ServiceAccount').metadata.name).toBe(pod.spec.serviceAccountName);
  });

  it('listens on the ports of its probes, Service, Ingress and network policy', () => {
    const open = container.ports as { name: string; containerPort: number }[];
    const ports = Object.fromEntries(open.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports).toEqual({ http: config.port, metrics: Number(settings.data.METRICS_PORT) });
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const path = name === 'readinessProbe' ? '/health/ready' : '/health/live';
      expect(container[name].httpGet).toEqual({ path, port: 'http' });
    }
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(String(ports['metrics']));
    const service = only(objects, 'Service');
    const [port] = service.spec.ports as Json[];
    expect(Object.keys(ports)).toContain(port.targetPort);
    const [{ host, http }] = only(objects, 'Ingress').spec.rules as Json[];
    expect(http.paths).toHaveLength(1);
    expect(http.paths[0].backend.service).toEqual({
      name: service.metadata.name,
      port: { name: port.name },
    });
    expect(`https://${String(host)}`).toBe(config.publicUrl);
    expect(only(objects, 'Ingress').spec.tls).toMatchObject([{ hosts: [host] }]);
    const [requests, metrics] = only(objects, 'NetworkPolicy').spec.ingress as Json[];
    expect([requests.ports, metrics.ports]).toEqual([
      [{ protocol: 'TCP', port: ports['http'] }],
      [{ protocol: 'TCP', port: ports['metrics'] }],
    ]);
  });

  it('allows egress to the ports of the URLs in the Secret', () => {
    const { egress } = only(objects, 'NetworkPolicy').spec as { egress: Json[] };
    const open = egress.flatMap(({ ports }) => (ports as Json[]).map(({ port }) => port));
    const urls = Object.values<string>(secret.stringData);
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) expect(open).toContain(Number(new URL(url).port));
  });

  it('allows egress of webhooks to public addresses only', () => {
    const { egress } = only(objects, 'NetworkPolicy').spec as { egress: Json[] };
    const rule = egress.find(({ to }) => to?.[0].ipBlock?.cidr === '0.0.0.0/0');
    expect(rule?.ports).toEqual([{ protocol: 'TCP' }]);
    const policy = new AddressPolicy([], 'CONNECTION_ALLOWED_PRIVATE_RANGES');
    const blocks = (rule?.to as Json[] | undefined)?.map(({ ipBlock }) => ipBlock) ?? [];
    const except: string[] = blocks[0].except;
    expect(except.filter((range) => policy.accepts(range.split('/')[0] ?? ''))).toEqual([]);
    expect(except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16']));
    expect(blocks[1]).toEqual({ cidr: '2000::/3' });
  });

  it('gives a pod enough time to stop', () => {
    const { terminationGracePeriodSeconds } = pod.spec as { terminationGracePeriodSeconds: number };
    const waits: number = container.lifecycle.preStop.sleep.seconds;
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      waits + config.shutdownGraceSeconds + 5,
    );
    // Readiness is probed, and load balancers are updated, before the wait ends.
    expect(waits).toBeGreaterThanOrEqual(container.readinessProbe.periodSeconds);
  });

  it('mounts the keys that seal secrets where SECRETS_KEY_FILE expects them, and not in the migration', () => {
    const volume = (pod.spec.volumes as Json[]).find(({ name }) => name === 'keys');
    expect(volume?.secret).toEqual({ secretName: keys.metadata.name, defaultMode: 0o440 });
    // The volume belongs to the group of the service.
    expect(pod.spec.securityContext.fsGroup).toBe(pod.spec.securityContext.runAsGroup);
    const mounts = container.volumeMounts as Json[];
    const mount = mounts.find(({ name }) => name === 'keys');
    expect(mount).toMatchObject({ readOnly: true });
    const [file = '', text = ''] = Object.entries<string>(keys.stringData)[0] ?? [];
    expect(config.secretsKeyFile).toBe(`${String(mount?.mountPath)}/${file}`);
    const key = Buffer.alloc(32, 1).toString('base64');
    expect(parseKeyFile(text.replace('CHANGE-ME', key))).toHaveLength(1);
    expect(JSON.stringify(objectsOf(`${EXAMPLE}/migration`))).not.toContain('datagrid-keys');
    expect(JSON.stringify(objectsOf('base'))).not.toContain('datagrid-keys');
  });

  it('gives exports enough disk space in the only writable directory', () => {
    const writable = (container.volumeMounts as Json[]).filter(({ readOnly }) => !readOnly);
    expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
    const volume = (pod.spec.volumes as Json[]).find(({ name }) => name === 'tmp');
    const bytes = Number(/^(\d+)Mi$/.exec(volume?.emptyDir.sizeLimit)?.[1]) * 2 ** 20;
    expect(bytes).toBeGreaterThan(config.maxSpoolBytes);
  });

  it('runs at least three instances, of which one at a time may be unavailable', () => {
    expect(only(objectsOf('base'), 'Deployment').spec.replicas).toBe(3);
    // If an autoscaler sets the number of replicas, `kubectl apply` must not.
    expect(deployment.spec).not.toHaveProperty('replicas');
    expect(only(objects, 'HorizontalPodAutoscaler').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: deployment.metadata.name },
      minReplicas: 3,
    });
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(only(objects, 'PodDisruptionBudget').spec.maxUnavailable).toBe(1);
  });

  it('migrates with the same image and an existing command', () => {
    const migration = objectsOf(`${EXAMPLE}/migration`);
    const [job] = only(migration, 'Job').spec.template.spec.containers as Json[];
    expect(job.image).toBe(container.image);
    expect(job.image).toMatch(/^registry\.example\.com\/datagrid:\d/);
    expect(job.command).toEqual(['node', 'dist/src/cli/admin.js', 'migrate', '--json']);
    expect(job.envFrom).toEqual([{ secretRef: { name: secret.metadata.name } }]);
    expect(only(migration, 'Secret')).toEqual(secret);
    // The network policy applies to it too. The Service sends it no requests.
    const { labels } = only(migration, 'Job').spec.template.metadata;
    expect(matches(only(objects, 'NetworkPolicy').spec.podSelector.matchLabels, labels)).toBe(true);
    expect(matches(only(objects, 'Service').spec.selector, labels)).toBe(false);
  });
});

describe('the CPU and memory of Pods', () => {
  const ROOT = join(__dirname, '../..');
  const values: Json = parse(
    readFileSync(join(ROOT, 'deploy/helm/datagrid-platform/values.yaml'), 'utf8'),
  );
  const [service, job] = ['base', 'migration'].map((path) => {
    const [container] = podsOf(objectsOf(path)).flatMap(({ spec }) => spec.containers);
    return container;
  });
  const MIB: Readonly<Record<string, number>> = { Mi: 1, Gi: 1024 };
  const mibOf = (text: string): number => {
    const [, number, unit = ''] = /^(\d+)([MG]i)$/.exec(text) ?? [];
    return Number(number) * (MIB[unit] ?? NaN);
  };
  const heapOf = (options: string): string =>
    /^--max-old-space-size=(\d+)$/.exec(options)?.[1] ?? '';

  it('are those of the values of the chart in docs/operations/kubernetes.md', () => {
    const text = readFileSync(join(ROOT, 'docs/operations/kubernetes.md'), 'utf8');
    const [, section = ''] = /\n## CPU and memory\n(.*?)\n## /s.exec(text) ?? [];
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    const cells = rows.slice(2).map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const rowOf = (pod: string, { requests, limits }: Json, heap: string): string[] => [
      ...[pod, requests.cpu, requests.memory, limits.memory, heap],
    ];
    expect(cells).toEqual([
      rowOf('service', values.resources, heapOf(values.nodeOptions)),
      rowOf('migration', values.migration.resources, ''),
      rowOf('PgBouncer (Helm)', values.pgbouncer.resources, ''),
    ]);
    const buffers = String(values.settings.MAX_BUFFERED_BYTES / 2 ** 20);
    expect(section).toContain(`${heapOf(values.nodeOptions)} MiB + 2 × ${buffers} MiB`);
  });

  it('are those of the values of the chart in the kustomizations', () => {
    expect(service.resources).toMatchObject(values.resources);
    expect(job.resources).toEqual(values.migration.resources);
    const options = { name: 'NODE_OPTIONS', value: values.nodeOptions };
    expect(service.env).toContainEqual(options);
  });

  it('hold the heap of Node and all buffers, with room for Node itself', () => {
    const buffersMib = (2 * values.settings.MAX_BUFFERED_BYTES) / 2 ** 20;
    const roomMib =
      mibOf(values.resources.limits.memory) - Number(heapOf(values.nodeOptions)) - buffersMib;
    expect(roomMib).toBeGreaterThanOrEqual(128);
  });
});
