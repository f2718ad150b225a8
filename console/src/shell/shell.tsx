import { useQuery } from '@tanstack/react-query';
import { Suspense, useCallback, useEffect, useState, type MouseEvent, type ReactNode } from 'react';
import { Outlet, useLocation } from 'react-router';
import { ErrorBoundary } from '../common/error-boundary';
import { keepFieldInView } from '../common/keep-field-in-view';
import { Loading } from '../common/loading';
import { sessionQuery } from '../session/session-query';
import { watchSession } from '../session/session-watch';
import { text } from '../text/text';
import { connection } from './connection';
import { ConnectionBanner } from './connection-banner';
import { Header } from './header';
import { PaletteHost, type OpenPalette } from './palette/palette-host';
import './shell.css';
import { NavDrawer, Sidebar } from './sidebar';
import { useSidebar } from './use-sidebar';

/** Frame of every page. */
export function Shell(): ReactNode {
  const { pathname } = useLocation();
  const { data } = useQuery(sessionQuery);
  const session = data ?? undefined;
  // A user without the required second factor can open only pages of the profile.
  const user = session?.lacksSecondFactor === true ? undefined : session?.user;
  const { isDrawer, isCollapsed, toggle } = useSidebar();
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const [palette, setPalette] = useState<OpenPalette>();
  const closeDrawer = useCallback(() => {
    setIsDrawerOpen(false);
  }, []);
  useEffect(keepFieldInView, []);
  useEffect(watchSession, []);
  useEffect(() => connection.watch(), []);
  // The drawer closes with every navigation.
  const [shownPath, setShownPath] = useState(pathname);
  if (shownPath !== pathname) {
    setShownPath(pathname);
    setIsDrawerOpen(false);
  }
  const openDrawer = (): void => {
    setIsDrawerOpen(true);
  };
  const openPalette = (): void => {
    setPalette('palette');
  };
  return (
    <div className="shell">
      <a className="skip-link" href="#main" onClick={skip}>
        {text.frame.skip}
      </a>
      <Header
        session={session}
        onMenu={user && isDrawer ? openDrawer : undefined}
        onSearch={user && openPalette}
      />
      <ConnectionBanner />
      <div className="shell-body">
        {user && !isDrawer && <Sidebar user={user} isCollapsed={isCollapsed} onToggle={toggle} />}
        <main id="main" tabIndex={-1} className="shell-main">
          <ErrorBoundary resetKey={pathname}>
            <Suspense fallback={<Loading />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      {user && <PaletteHost user={user} open={palette} onOpen={setPalette} />}
      {user && isDrawer && <NavDrawer user={user} isOpen={isDrawerOpen} onClose={closeDrawer} />}
    </div>
  );
}

/** Moves the focus without a navigation, which would lose the target of a sign-in. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
