import { Suspense, type ReactNode } from 'react';
import { Outlet } from 'react-router';
import { Loading } from '../common/loading';
import { Header } from './header';
import './shell.css';

/** What is around every page. */
export function Shell(): ReactNode {
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <Header />
      <main id="main" tabIndex={-1} className="shell-main">
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}
