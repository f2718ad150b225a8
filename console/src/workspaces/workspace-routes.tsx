import type { ReactNode } from 'react';
import { Route, Routes } from 'react-router';
import NotFoundPage from '../shell/not-found-page';
import '../list/list.css';
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
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}
