import type { Page } from 'playwright-core';
import { writeStatement } from './statement-editor';

/** Ids and a token for the paths of pages. */
export interface Places {
  readonly workspaceId: string;
  readonly datagridId: string;
  /** A webhook with one delivery. */
  readonly webhookId: string;
  /** A connection whose tables are loaded. */
  readonly connectionId: string;
  readonly inviteToken: string;
}

/** One page of the console, or one dialog on it. */
export interface ConsolePage {
  /** Also the name of its screenshot. */
  readonly name: string;
  readonly isSignedOut?: boolean;
  readonly path: (places: Places) => string;
  /** Selector of the part that is checked, if the rest is another page of this list. */
  readonly part?: string;
  /** Opens the dialog, if any, and waits until the content is loaded. */
  readonly show: (page: Page) => Promise<void>;
}

/** Waits for a page's heading, and until its content is loaded. */
const heading =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('heading', { level: 1, name }).waitFor();
    // Sections load on their own: wait until none is left.
    await page.getByLabel('Loading').first().waitFor({ state: 'hidden' });
  };

const gridIsThere = async (page: Page): Promise<void> => {
  await page.locator('[row-index="0"] [col-id="name"]').getByText(/\w/).first().waitFor();
};

interface Click {
  readonly role: 'button' | 'menuitem';
  readonly name: string;
}

/** Opens a dialog of the grid with these clicks, and waits for its title. */
const dialog =
  (title: string | RegExp, ...clicks: readonly Click[]) =>
  async (page: Page): Promise<void> => {
    await gridIsThere(page);
    for (const { role, name } of clicks) await page.getByRole(role, { name, exact: true }).click();
    await page.getByRole('dialog', { name: title }).waitFor();
  };

/** Runs a statement on the SQL page. */
async function runAirports(page: Page): Promise<void> {
  await writeStatement(
    page,
    'SELECT state, count(*) AS airports FROM airports GROUP BY state ORDER BY airports DESC, state LIMIT 10',
  );
  await page.keyboard.press('Control+Enter');
  const problem = page.getByRole('alert');
  await page.getByRole('region', { name: 'Result' }).or(problem).first().waitFor();
  const problems = await problem.allInnerTexts();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

const DIALOG = '[role="dialog"]';
const grid = ({ datagridId }: Places): string => `/datagrids/${datagridId}`;
const MORE = { role: 'button', name: 'More actions for this datagrid' } as const;
const item = (name: string): Click => ({ role: 'menuitem', name });

/** All pages, and the dialogs with the most content. Add new pages here. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  { name: 'sign-in', isSignedOut: true, path: () => '/sign-in', show: heading('Sign in') },
  {
    name: 'invite',
    isSignedOut: true,
    path: ({ inviteToken }) => `/invite/${inviteToken}`,
    show: (page) => page.getByLabel('New password').waitFor(),
  },
  { name: 'workspaces', path: () => '/workspaces', show: heading('Workspaces') },
  { name: 'trash', path: () => '/workspaces/trash', show: heading('Trash') },
  { name: 'choose-workspace', path: () => '/webhooks', show: heading('Webhooks') },
  { name: 'unknown-address', path: () => '/nonsense', show: heading('Page not found') },
  {
    name: 'workspace',
    path: (places) => `/workspaces/${places.workspaceId}`,
    show: heading('Demo'),
  },
  {
    name: 'sql',
    path: (places) => `/workspaces/${places.workspaceId}/sql`,
    show: async (page) => {
      await runAirports(page);
      await page.getByRole('gridcell', { name: 'AK', exact: true }).waitFor();
    },
  },
  {
    name: 'sql-chart',
    path: (places) => `/workspaces/${places.workspaceId}/sql`,
    part: 'section',
    show: async (page) => {
      await runAirports(page);
      await page.getByText('Chart', { exact: true }).click();
      await page.locator('.recharts-bar-rectangle').first().waitFor();
    },
  },
  {
    name: 'webhooks',
    path: (places) => `/workspaces/${places.workspaceId}/webhooks`,
    show: heading('Webhooks'),
  },
  {
    name: 'webhooks-new',
    path: (places) => `/workspaces/${places.workspaceId}/webhooks`,
    show: async (page) => {
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByRole('dialog', { name: 'New webhook' }).waitFor();
    },
  },
  {
    name: 'webhook',
    path: (places) => `/workspaces/${places.workspaceId}/webhooks/${places.webhookId}`,
    show: async (page) => {
      await page.getByRole('button', { name: 'Details of row 1', exact: true }).click();
      await page.getByRole('group', { name: 'Request' }).waitFor();
    },
  },
  {
    name: 'connections',
    path: (places) => `/workspaces/${places.workspaceId}/connections`,
    show: async (page) => {
      await page.getByText('DuckDB file, demo').waitFor();
    },
  },
  {
    name: 'connections-new',
    path: (places) => `/workspaces/${places.workspaceId}/connections/new`,
    show: async (page) => {
      await page.getByLabel('PostgreSQL').click();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByLabel('Host').waitFor();
    },
  },
  {
    name: 'connections-review',
    path: (places) => `/workspaces/${places.workspaceId}/connections/new`,
    show: async (page) => {
      await page.getByLabel('DuckDB file').click();
      const next = page.getByRole('button', { name: 'Next' });
      await next.click();
      await page.getByLabel('Name of the file').fill('demo');
      await page.getByRole('button', { name: 'Test' }).click();
      await next.click();
      await page.getByRole('region', { name: 'Datagrids' }).waitFor();
      await next.click();
      await page
        .getByRole('list', { name: /^Columns of/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'connection',
    path: (places) => `/workspaces/${places.workspaceId}/connections/${places.connectionId}`,
    show: async (page) => {
      await page.getByText('Synced').first().waitFor();
      await page.getByRole('table', { name: 'Runs' }).getByText('Done').first().waitFor();
    },
  },
  {
    name: 'connection-import',
    path: (places) => `/workspaces/${places.workspaceId}/connections/${places.connectionId}`,
    show: async (page) => {
      await page.getByRole('button', { name: 'New scheduled import' }).click();
      const dialog = page.getByRole('dialog', { name: 'New scheduled import' });
      await dialog.getByRole('textbox', { name: 'Query' }).fill('SELECT 1 AS one');
      await dialog.getByRole('button', { name: 'Preview' }).click();
      await dialog.getByRole('group', { name: 'First rows' }).waitFor();
    },
  },
  { name: 'grid', path: grid, show: gridIsThere },
  {
    name: 'grid-filter',
    path: grid,
    part: DIALOG,
    show: dialog('Filter', { role: 'button', name: 'Filter' }),
  },
  {
    name: 'grid-add-row',
    path: grid,
    part: DIALOG,
    show: async (page) => {
      await gridIsThere(page);
      await page.getByRole('button', { name: 'Add row' }).click({ modifiers: ['Shift'] });
      await page.getByRole('dialog', { name: 'New row' }).waitFor();
    },
  },
  {
    name: 'grid-api',
    path: grid,
    part: DIALOG,
    show: async (page) => {
      // On a phone, the menu has it.
      const isPhone = (page.viewportSize()?.width ?? 0) <= 600;
      const clicks = isPhone ? [MORE, item('API')] : [{ role: 'button', name: 'API' } as const];
      await dialog('API', ...clicks)(page);
    },
  },
  {
    name: 'grid-columns',
    path: grid,
    part: DIALOG,
    show: dialog('Column settings', MORE, item('Column settings')),
  },
  {
    name: 'grid-column-list',
    path: grid,
    part: DIALOG,
    show: async (page) => {
      await gridIsThere(page);
      await page.getByRole('button', { name: 'Columns', exact: true }).click();
      await page.getByRole('checkbox', { name: /./ }).first().waitFor();
    },
  },
  {
    name: 'grid-views',
    path: grid,
    part: '[role="menu"]',
    show: async (page) => {
      await gridIsThere(page);
      await page.getByRole('button', { name: 'View: All rows' }).click();
      await page.getByRole('menuitem', { name: 'Save as view…' }).waitFor();
    },
  },
  {
    name: 'grid-import',
    path: grid,
    part: DIALOG,
    show: dialog(/^Import into/, MORE, item('Import a file')),
  },
  { name: 'grid-export', path: grid, part: DIALOG, show: dialog(/^Export/, MORE, item('Export')) },
  {
    name: 'keys',
    path: () => '/profile/keys',
    show: async (page) => {
      await heading('API keys')(page);
      await page.getByText('Day by day').first().waitFor();
    },
  },
  {
    name: 'keys-new',
    path: () => '/profile/keys',
    show: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('dialog', { name: 'New API key' }).waitFor();
    },
  },
  { name: 'applications', path: () => '/profile/applications', show: heading('Applications') },
  { name: 'sessions', path: () => '/profile/sessions', show: heading('Sessions') },
  { name: 'password', path: () => '/profile/password', show: heading('Password') },
  {
    name: 'second-factor',
    path: () => '/profile/second-factor',
    show: heading('Second factor'),
  },
  {
    name: 'audit',
    path: () => '/audit',
    show: async (page) => {
      await page.getByText('Signed in').first().waitFor();
    },
  },
  {
    name: 'requests',
    path: () => '/requests',
    show: async (page) => {
      await page
        .getByRole('table', { name: 'Requests' })
        .getByText('GET /workspaces')
        .first()
        .waitFor();
    },
  },
  {
    name: 'requests-no-match',
    path: () => '/requests?status=5xx&method=DELETE',
    show: async (page) => {
      await page.getByRole('button', { name: 'Clear the filters' }).waitFor();
    },
  },
  { name: 'security', path: () => '/security', show: heading('Security') },
  { name: 'users', path: () => '/users', show: heading('Users') },
  {
    name: 'grid-changes',
    path: grid,
    part: '.changes-panel',
    show: async (page) => {
      await gridIsThere(page);
      await page.getByRole('button', { name: 'Changes', exact: true }).click();
      const cell = page.locator('[row-index="0"] [col-id="name"]');
      const name = (await cell.textContent()) ?? '';
      for (const text of [`${name}!`, name]) {
        await cell.dblclick();
        await page.locator('.value-editor:focus').waitFor();
        await page.keyboard.press('Control+A');
        await page.keyboard.type(text);
        await page.keyboard.press('Enter');
        await page
          .getByRole('region', { name: 'Changes' })
          .getByText(new RegExp(`→ ${text.trim()}$`))
          .waitFor();
      }
    },
  },
  {
    name: 'not-found',
    path: () => '/workspaces/nowhere/at-all',
    show: heading('Page not found'),
  },
];
