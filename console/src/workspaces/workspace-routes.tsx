import type { ReactNode } from 'react';
import { Route, Routes } from 'react-router';
import { Page } from '../shell/page';

/** Everything under `/workspaces`. */
export default function WorkspaceRoutes(): ReactNode {
  return (
    <Routes>
      <Route index element={<Page title="Workspaces">{null}</Page>} />
    </Routes>
  );
}
