import { source as axeSource } from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Returns the violations of WCAG 2.2 A and AA and of axe's best practices. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  // The Content-Security-Policy blocks foreign scripts, but not those that the browser evaluates.
  const violations = await page.evaluate(`${axeSource}; axe.run().then((r) => r.violations)`);
  return (violations as Violation[]).flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
