import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { useSession, WITHOUT_SECOND_FACTOR } from '../session/session-context';
import { profileText } from '../text/profile-text';
import './profile.css';

const t = profileText.nav;

const PARTS = [
  ['/profile/keys', t.keys],
  ['/profile/applications', t.applications],
  ['/profile/sessions', t.sessions],
  ['/profile/password', t.password],
  ['/profile/second-factor', t.secondFactor],
] as const;

/** Navigation between the pages of the profile. */
export function ProfileNav(): ReactNode {
  const { lacksSecondFactor = false } = useSession();
  return (
    <nav aria-label={t.label} className="profile-nav">
      {PARTS.filter(([path]) => !lacksSecondFactor || WITHOUT_SECOND_FACTOR.has(path)).map(
        ([path, label]) => (
          <NavLink key={path} to={path} className="profile-link">
            {label}
          </NavLink>
        ),
      )}
    </nav>
  );
}
