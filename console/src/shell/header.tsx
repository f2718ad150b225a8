import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, NavLink } from 'react-router';
import type { Session } from '../api/types';
import { mayManageUsers, mayReadAudit } from '../session/role';
import { sessionQuery } from '../session/session-query';
import { ColorSchemeButton } from './color-scheme-button';
import { MenuIcon } from './icons';
import { UserMenu } from './user-menu';

export function Header(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <header className="shell-header">
      <Link to="/" className="shell-brand">
        Datagrids
      </Link>
      {session && (
        <button
          type="button"
          className="shell-menu-button"
          aria-expanded={isOpen}
          aria-controls="shell-nav"
          aria-label="Menu"
          onClick={() => {
            setIsOpen(!isOpen);
          }}
        >
          <MenuIcon />
        </button>
      )}
      {session && (
        <Navigation
          session={session}
          isOpen={isOpen}
          onNavigate={() => {
            setIsOpen(false);
          }}
        />
      )}
      <div className="shell-tools">
        <ColorSchemeButton />
        {session && <UserMenu session={session} />}
      </div>
    </header>
  );
}

interface NavigationProps {
  readonly session: Session;
  /** Collapsed on a phone until it is opened. */
  readonly isOpen: boolean;
  readonly onNavigate: () => void;
}

function Navigation({ session, isOpen, onNavigate }: NavigationProps): ReactNode {
  const places = [
    ['/workspaces', 'Workspaces'],
    ...(mayManageUsers(session.user.role) ? [['/users', 'Users']] : []),
    ...(mayReadAudit(session.user.role) ? [['/audit', 'Audit log']] : []),
    ['/profile', 'Profile'],
  ] as const;
  return (
    <nav id="shell-nav" aria-label="Main" className="shell-nav" data-open={isOpen}>
      {places.map(([path = '/', label]) => (
        <NavLink key={path} to={path} className="shell-link" onClick={onNavigate}>
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
