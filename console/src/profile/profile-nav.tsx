import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import './profile.css';

const PARTS = [
  ['/profile/keys', 'API keys'],
  ['/profile/sessions', 'Sessions'],
  ['/profile/password', 'Password'],
] as const;

/** The parts of the profile, over each of its pages. */
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
