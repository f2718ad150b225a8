import { eventually } from './eventually';
import type { TestApp } from './test-app';

export const METRICS_ON = { METRICS_PORT: '0', METRICS_HOST: '127.0.0.1' };

/** Returns the metrics URL that an application has logged. */
export async function metricsUrl(app: TestApp): Promise<string> {
  const line = await eventually(() =>
    app.logs.find((each) => each.includes('"msg":"metrics listening"')),
  );
  return (JSON.parse(line) as { url: string }).url;
}

/** A snapshot of the metrics, as Prometheus reads them. */
export class Scrape {
  private constructor(readonly text: string) {}

  static async of(url: string): Promise<Scrape> {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    return new Scrape(await response.text());
  }

  /**
   * Returns the names of all metrics, including the series of histograms. Uses the declarations,
   * because a histogram that has counted nothing yet (such as garbage collection pauses) has no
   * samples.
   */
  names(): Set<string> {
    const declared = [...this.text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
    return new Set(
      declared.flatMap(([, name = '', type]) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
  }

  /** Returns the sum of the samples with this name and these labels. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return [...this.text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)]
      .filter(([, each, given = '']) => each === name && wanted.every((one) => given.includes(one)))
      .reduce((sum, [, , , value]) => sum + Number(value), 0);
  }
}
