import { type ComponentType, lazy, type ReactNode } from 'react';
import { Route, Routes } from 'react-router';
import { InWorkspaceOfPath } from '../session/in-workspace';
import NotFoundPage from '../shell/not-found-page';
import '../list/list.css';
import { TrashPage } from './trash-page';
import { WorkspacePage } from './workspace-page';
import { WorkspacesPage } from './workspaces-page';

/** Loads a page that its file exports by name. */
const load =
  <Name extends string>(name: Name, importFile: () => Promise<Record<Name, ComponentType>>) =>
  async (): Promise<{ default: ComponentType }> => ({ default: (await importFile())[name] });

// Most visits open none of these pages.
const ConnectionPage = lazy(load('ConnectionPage', () => import('./connections/connection-page')));
const ConnectionsPage = lazy(
  load('ConnectionsPage', () => import('./connections/connections-page')),
);
const WizardPage = lazy(load('WizardPage', () => import('./connections/wizard/wizard-page')));
const WebhookPage = lazy(load('WebhookPage', () => import('./webhooks/webhook-page')));
const WebhooksPage = lazy(load('WebhooksPage', () => import('./webhooks/webhooks-page')));
const SqlPage = lazy(() => import('../sql/sql-page'));

/** Everything under `/workspaces`. */
export default function WorkspaceRoutes(): ReactNode {
  return (
    <Routes>
      <Route index element={<WorkspacesPage />} />
      <Route path="trash" element={<TrashPage />} />
      <Route path=":workspaceId" element={<InWorkspaceOfPath />}>
        <Route index element={<WorkspacePage />} />
        <Route path="sql" element={<SqlPage />} />
        <Route path="webhooks" element={<WebhooksPage />} />
        <Route path="webhooks/:webhookId" element={<WebhookPage />} />
        <Route path="connections" element={<ConnectionsPage />} />
        <Route path="connections/new" element={<WizardPage />} />
        <Route path="connections/:connectionId" element={<ConnectionPage />} />
      </Route>
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}
