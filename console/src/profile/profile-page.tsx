import { lazy, type ReactNode } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import NotFoundPage from '../shell/not-found-page';
import { KeysPage } from './keys/keys-page';
import { PasswordPage } from './password-page';
import { SecondFactorPage } from './second-factor/second-factor-page';
import { SessionsPage } from './sessions/sessions-page';

const ApplicationsPage = lazy(() => import('../applications/applications-page'));

/** Everything under `/profile`. */
export default function ProfilePage(): ReactNode {
  return (
    <Routes>
      <Route index element={<Navigate to="keys" replace />} />
      <Route path="keys" element={<KeysPage />} />
      <Route path="applications" element={<ApplicationsPage />} />
      <Route path="sessions" element={<SessionsPage />} />
      <Route path="password" element={<PasswordPage />} />
      <Route path="second-factor" element={<SecondFactorPage />} />
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}
