import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import './profile.css';

const PARTS = [
  ['/profile/keys', 'API keys'],
  ['/profile/sessions', 'Sessions'],
  ['/profile/password', 'Password'],
] as const;

/** Navigation between the pages of the profile. */
export function ProfileNav(): ReactNode {
  return (
    <nav aria-label="Profile" className="profile-nav">
      {PARTS.map(([path, label]) => (
        <NavLink key={path} to={path} className="profile-link">
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
