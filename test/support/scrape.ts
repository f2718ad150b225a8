import { eventually } from './eventually';
import type { TestApp } from './test-app';

export const METRICS_ON = { METRICS_PORT: '0', METRICS_HOST: '127.0.0.1' };

/** Where an application says that it gives its metrics. */
export async function metricsUrl(app: TestApp): Promise<string> {
  const line = await eventually(() =>
    app.logs.find((each) => each.includes('"msg":"metrics listening"')),
  );
  return (JSON.parse(line) as { url: string }).url;
}

/** Metrics at a moment, as Prometheus reads them. */
export class Scrape {
  private constructor(readonly text: string) {}

  static async of(url: string): Promise<Scrape> {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    return new Scrape(await response.text());
  }

  /**
   * The names of all metrics, with those of the parts of histograms: from what is declared, as a
   * histogram that has counted nothing yet (of pauses for garbage, say) has no samples.
   */
  names(): Set<string> {
    const declared = [...this.text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
    return new Set(
      declared.flatMap(([, name = '', type]) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
  }

  /** The sum of the samples of that name that have these labels. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return [...this.text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)]
      .filter(([, each, given = '']) => each === name && wanted.every((one) => given.includes(one)))
      .reduce((sum, [, , , value]) => sum + Number(value), 0);
  }
}
