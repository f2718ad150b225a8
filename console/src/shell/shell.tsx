import { Suspense, useEffect, type MouseEvent, type ReactNode } from 'react';
import { Outlet, useLocation } from 'react-router';
import { ErrorBoundary } from '../common/error-boundary';
import { Loading } from '../common/loading';
import { watchSession } from '../session/session-watch';
import { connection } from './connection';
import { ConnectionBanner } from './connection-banner';
import { Header } from './header';
import './shell.css';

/** Frame of every page. */
export function Shell(): ReactNode {
  const { pathname } = useLocation();
  useEffect(watchSession, []);
  useEffect(() => connection.watch(), []);
  return (
    <div className="shell">
      <a className="skip-link" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Header />
      <ConnectionBanner />
      <main id="main" tabIndex={-1} className="shell-main">
        <ErrorBoundary resetKey={pathname}>
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** Moves the focus without a navigation, which would lose the target of a sign-in. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
