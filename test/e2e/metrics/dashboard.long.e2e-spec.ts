import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { newDatagrid } from '../../support/fixture';
import { eventually } from '../../support/eventually';
import { metricsUrl, METRICS_ON, Scrape } from '../../support/scrape';
import { TestApp } from '../../support/test-app';

const DEPLOY = join(__dirname, '../../../deploy');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

/** Returns the names of metrics in a query, by the prefixes of the service, Node and the process. */
const namesIn = (query: string): string[] => [
  ...new Set(query.match(/\b(?:datagrid|nodejs|process)_[a-z0-9_]+\b/g)),
];

/** Returns the labels that a query filters or groups by. */
const labelsIn = (query: string): string[] => [
  ...[...query.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(', ')),
  ...[...query.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label),
];

/** Labels that Prometheus itself adds. */
const ADDED_LABELS = ['job', 'instance'];

let given: Scrape;

beforeAll(async () => {
  const app = await TestApp.start({ settings: METRICS_ON });
  try {
    const owner = await app.newAccount();
    const rows = `${await newDatagrid(owner.api, [])}/rows`;
    await owner.api.get(rows);
    const url = await metricsUrl(app);
    given = await eventually(async () => {
      const scrape = await Scrape.of(url);
      return scrape.sum('datagrid_http_requests_total', { method: 'GET' }) > 0 && scrape;
    });
  } finally {
    await app.close();
  }
});

function expectGiven(query: string): void {
  const names = namesIn(query);
  expect({ query, names }).toEqual({ query, names: expect.arrayContaining([expect.anything()]) });
  const known = given.names();
  expect(names.filter((name) => !known.has(name))).toEqual([]);
}

describe('the Grafana dashboard', () => {
  const dashboard = JSON.parse(read('grafana/datagrid-platform.json')) as {
    readonly panels: readonly Panel[];
    readonly templating: { readonly list: readonly { readonly query: unknown }[] };
  };
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it('queries only metrics that the service exports', () => {
    expect(queries.length).toBeGreaterThan(20);
    for (const query of queries) expectGiven(query);
    expectGiven(JSON.stringify(dashboard.templating.list));
  });

  it('uses only labels that exist', () => {
    const counted = [...given.text.matchAll(/[{,]([a-z_]+)="/g)].map(([, label = '']) => label);
    // Labels of metrics that a new service may not have counted yet.
    const declared = ['kind', 'limit', 'outcome', 'state'];
    const known = new Set([...counted, ...declared, ...ADDED_LABELS]);
    const unknown = queries.flatMap(labelsIn).filter((label) => !known.has(label));
    expect(unknown).toEqual([]);
  });

  it('shows every metric of the service', () => {
    const shown = new Set(queries.flatMap(namesIn));
    const ours = [...given.text.matchAll(/^# TYPE (datagrid_\S+) (\w+)$/gm)].map(
      ([, name = '', type]) => (type === 'histogram' ? `${name}_bucket` : name),
    );
    expect(ours.length).toBeGreaterThan(12);
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });
});

/** Returns the alert rules of a file. */
function rulesOf(path: string): readonly Rule[] {
  const { groups } = parse(read(path)) as {
    groups: readonly { readonly rules: readonly Rule[] }[];
  };
  return groups.flatMap((group) => group.rules);
}

describe('the Prometheus alert rules', () => {
  it('query only metrics that the service exports', () => {
    const rules = rulesOf('prometheus/alerts.yaml');
    expect(rules.length).toBeGreaterThan(5);
    for (const { expr, annotations } of rules) {
      expectGiven(expr);
      // Operators choose the names of their jobs and instances.
      expect(expr).not.toMatch(/(job|instance)=/);
      expect(annotations.summary).toMatch(/\.$/);
    }
  });

  it('query nothing but the free space of disks from node_exporter', () => {
    const names = rulesOf('prometheus/disk-alerts.yaml').flatMap(({ expr }) =>
      [...expr.matchAll(/\b(\w+)\{/g)].map(([, name]) => name),
    );
    expect([...new Set(names)].sort()).toEqual([
      'node_filesystem_avail_bytes',
      'node_filesystem_size_bytes',
    ]);
  });

  it('have one runbook each', () => {
    const files = ['alerts', 'disk-alerts'].map((name) => `prometheus/${name}.yaml`);
    const alerts = files.flatMap((path) => [...read(path).matchAll(/- alert: (\w+)/g)]);
    const runbooks = [...read('../docs/runbooks.md').matchAll(/^## (\w+)$/gm)];
    const names = (found: readonly RegExpMatchArray[]): string[] =>
      found.map(([, name = '']) => name).sort();
    expect(names(alerts).length).toBeGreaterThan(5);
    expect(names(runbooks)).toEqual(names(alerts));
  });
});
