import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import type { SessionUser } from '../api/types';
import { useFocusReturn } from '../common/use-focus-return';
import { text } from '../text/text';
import { DatagridTree } from './datagrid-tree';
import { SidebarIcon } from './icons';
import { placesOf, targetOf, type Place } from './places';
import './sidebar.css';

interface SidebarProps {
  readonly user: SessionUser;
  readonly isCollapsed: boolean;
  readonly onToggle: () => void;
}

/** Navigation at the left of every page. Collapsed, it shows only icons. */
export function Sidebar({ user, isCollapsed, onToggle }: SidebarProps): ReactNode {
  return (
    <nav aria-label={text.nav.label} className="sidebar" data-collapsed={isCollapsed}>
      <Places user={user} isCollapsed={isCollapsed} />
      <button
        type="button"
        className="sidebar-link sidebar-toggle"
        aria-expanded={!isCollapsed}
        {...(isCollapsed && { 'aria-label': text.nav.expand, title: text.nav.expand })}
        onClick={onToggle}
      >
        <SidebarIcon />
        {!isCollapsed && <span className="sidebar-label">{text.nav.collapse}</span>}
      </button>
    </nav>
  );
}

interface NavDrawerProps {
  readonly user: SessionUser;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The same navigation as a drawer, for small screens. */
export function NavDrawer({ user, isOpen, onClose }: NavDrawerProps): ReactNode {
  useFocusReturn(isOpen);
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size="18rem"
      title={text.product}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': text.nav.close }}
    >
      <nav aria-label={text.nav.label} className="sidebar-in-drawer">
        <Places user={user} isCollapsed={false} />
      </nav>
    </Drawer>
  );
}

function Places({
  user,
  isCollapsed,
}: {
  readonly user: SessionUser;
  readonly isCollapsed: boolean;
}): ReactNode {
  return (
    <ul className="sidebar-places">
      {placesOf(user).map((place, index, all) => (
        <li key={place.to} data-first={place.group !== all[index - 1]?.group || undefined}>
          <PlaceLink place={place} isCollapsed={isCollapsed} />
          {index === 0 && !isCollapsed && <DatagridTree />}
        </li>
      ))}
    </ul>
  );
}

function PlaceLink({
  place,
  isCollapsed,
}: {
  readonly place: Place;
  readonly isCollapsed: boolean;
}): ReactNode {
  const { label, icon, isAt, isDocument = false } = place;
  const { pathname } = useLocation();
  const isCurrent = isAt(pathname);
  return (
    <Link
      to={targetOf(place, pathname)}
      reloadDocument={isDocument}
      className="sidebar-link"
      aria-current={isCurrent ? 'page' : undefined}
      {...(isCollapsed && { 'aria-label': label, title: label })}
    >
      {icon}
      {!isCollapsed && <span className="sidebar-label">{label}</span>}
    </Link>
  );
}
