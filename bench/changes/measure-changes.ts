import type { Plan } from '../measure';
import type { Bench } from '../prepare';
import { measureDeliveries } from './deliveries';
import { measureFeed } from './feed';
import { type Figure, figuresTable } from './figures';
import { measureIdleTails, measureTails } from './tails';
import { measureWorkspaces } from './workspaces';
import { measureWrites } from './writes';

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Measures the change log, its feeds and webhooks.
 * @param only Part of the name of the steps to run. All of them by default.
 * @returns a table of the targets.
 */
export async function measureChanges(
  bench: Bench,
  plan: Plan,
  step: Step,
  only?: string,
): Promise<{ readonly figures: readonly Figure[]; readonly table: string }> {
  const works: Readonly<Record<string, () => Promise<Figure[]>>> = {
    'writes with and without the log': () => measureWrites(bench, plan),
    feed: () => measureFeed(bench, plan.rounds),
    'live tails': () => measureTails(bench),
    'idle tails': () => measureIdleTails(bench),
    webhooks: () => measureDeliveries(bench),
    workspaces: () => measureWorkspaces(bench),
  };
  const figures: Figure[] = [];
  for (const [name, work] of Object.entries(works)) {
    if (only !== undefined && !name.includes(only)) continue;
    const own = await step(name, work);
    // A later step may fail.
    for (const { measure, measured } of own) process.stdout.write(`  ${measure}: ${measured}\n`);
    figures.push(...own);
  }
  return { figures, table: figuresTable(figures) };
}
