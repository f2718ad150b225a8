import type { Plan } from '../measure';
import type { Bench } from '../prepare';
import { measureDeliveries } from './deliveries';
import { measureFeed } from './feed';
import { type Figure, figuresTable } from './figures';
import { measureIdleTails, measureTails } from './tails';
import { measureWrites } from './writes';

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Measures the change log, its feed and webhooks. @returns a table of the targets. */
export async function measureChanges(
  bench: Bench,
  plan: Plan,
  step: Step,
): Promise<{ readonly figures: readonly Figure[]; readonly table: string }> {
  const figures = [
    ...(await step('writes with and without the log', () => measureWrites(bench, plan))),
    ...(await step('feed', () => measureFeed(bench, plan.rounds))),
    ...(await step('live tails', () => measureTails(bench))),
    ...(await step('idle tails', () => measureIdleTails(bench))),
    ...(await step('webhooks', () => measureDeliveries(bench))),
  ];
  return { figures, table: figuresTable(figures) };
}
