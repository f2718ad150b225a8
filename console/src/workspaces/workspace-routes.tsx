import type { ReactNode } from 'react';
import { Route, Routes } from 'react-router';
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

/** Everything under `/workspaces`. */
export default function WorkspaceRoutes(): ReactNode {
  return (
    <Routes>
      <Route index element={<WorkspacesPage />} />
      <Route path="trash" element={<TrashPage />} />
      <Route path=":workspaceId" element={<WorkspacePage />} />
      <Route path=":workspaceId/webhooks" element={<WebhooksPage />} />
      <Route path=":workspaceId/webhooks/:webhookId" element={<WebhookPage />} />
      <Route path=":workspaceId/connections" element={<ConnectionsPage />} />
      <Route path=":workspaceId/connections/new" element={<WizardPage />} />
      <Route path=":workspaceId/connections/:connectionId" element={<ConnectionPage />} />
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}
