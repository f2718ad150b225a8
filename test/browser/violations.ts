import { source as axeSource } from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

export interface Check {
  /** Checks only the contrast of colors, if nothing else of a page has changed since its last check. */
  readonly isContrastOnly?: boolean;
  /** Selector of the part of the page that is checked. */
  readonly within?: string;
}

/** The rules of axe, and one that it leaves out unless it is asked for: names contain the visible labels. */
const ALL_RULES = { rules: { 'label-content-name-mismatch': { enabled: true } } };

/** Returns the violations of WCAG 2.2 A and AA and of axe's best practices. */
export async function violationsOn(
  page: Page,
  { isContrastOnly = false, within }: Check = {},
): Promise<readonly string[]> {
  const options = isContrastOnly ? { runOnly: ['color-contrast'] } : ALL_RULES;
  const context = within === undefined ? 'document' : JSON.stringify(within);
  // The Content-Security-Policy blocks foreign scripts, but not those that the browser evaluates.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  const violations = await page.evaluate(
    `axe.run(${context}, ${JSON.stringify(options)}).then((r) => r.violations)`,
  );
  return (violations as Violation[]).flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}
