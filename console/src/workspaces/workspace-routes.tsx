import { lazy, type ReactNode } from 'react';
import { Route, Routes } from 'react-router';
import { InWorkspaceOfPath } from '../session/in-workspace';
import NotFoundPage from '../shell/not-found-page';
import '../list/list.css';
import { ConnectionPage } from './connections/connection-page';
import { ConnectionsPage } from './connections/connections-page';
import { WizardPage } from './connections/wizard/wizard-page';
import { TrashPage } from './trash-page';
import { WebhookPage } from './webhooks/webhook-page';
import { WebhooksPage } from './webhooks/webhooks-page';
import { WorkspacePage } from './workspace-page';
import { WorkspacesPage } from './workspaces-page';

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
