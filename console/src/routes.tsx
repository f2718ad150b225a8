import { lazy, type ReactNode } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { RequireSession } from './session/require-session';
import { Shell } from './shell/shell';

const SignInPage = lazy(() => import('./sign-in/sign-in-page'));
const ProviderPage = lazy(() => import('./sign-in/provider-page'));
const ProviderCallbackPage = lazy(() => import('./sign-in/provider-callback-page'));
const AuthorizePage = lazy(() => import('./applications/authorize-page'));
const InvitePage = lazy(() => import('./invite/invite-page'));
const ProfilePage = lazy(() => import('./profile/profile-page'));
const AuditPage = lazy(() => import('./audit/audit-page'));
const RequestsPage = lazy(() => import('./requests/requests-page'));
const SecurityPage = lazy(() => import('./security/security-page'));
const ServiceKeysPage = lazy(() => import('./users/service-keys-page'));
const UsersPage = lazy(() => import('./users/users-page'));
const WorkspaceRoutes = lazy(() => import('./workspaces/workspace-routes'));
const ChooseWorkspacePage = lazy(() => import('./workspaces/choose-workspace-page'));
const DatagridRoutes = lazy(() => import('./datagrids/datagrid-routes'));
const NotFoundPage = lazy(() => import('./shell/not-found-page'));

export function AppRoutes(): ReactNode {
  return (
    <Routes>
      <Route element={<Shell />}>
        <Route path="/sign-in" element={<SignInPage />} />
        <Route path="/sign-in/:providerId" element={<ProviderPage />} />
        <Route path="/sign-in/:providerId/callback" element={<ProviderCallbackPage />} />
        <Route path="/invite/:token" element={<InvitePage />} />
        <Route element={<RequireSession />}>
          <Route index element={<Navigate to="/workspaces" replace />} />
          <Route path="/profile/*" element={<ProfilePage />} />
          <Route path="/oauth/authorize" element={<AuthorizePage />} />
          <Route path="/audit" element={<AuditPage />} />
          <Route path="/security" element={<SecurityPage />} />
          <Route path="/requests" element={<RequestsPage />} />
          <Route path="/users" element={<UsersPage />} />
          <Route path="/users/:userId/keys" element={<ServiceKeysPage />} />
          <Route path="/workspaces/*" element={<WorkspaceRoutes />} />
          <Route path="/sql" element={<ChooseWorkspacePage kind="sql" />} />
          <Route path="/webhooks" element={<ChooseWorkspacePage kind="webhooks" />} />
          <Route path="/connections" element={<ChooseWorkspacePage kind="connections" />} />
          <Route path="/datagrids/*" element={<DatagridRoutes />} />
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}
