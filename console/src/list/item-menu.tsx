import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { IN_MAIN } from '../common/in-main';
import './list.css';

export interface ItemMenuProps {
  /** Such as `Actions for Logistics`. */
  readonly label: string;
  /** True in a drawer or a dialog, which has the menu: screen readers ignore the rest of the page. */
  readonly isInDialog?: boolean;
  readonly children: ReactNode;
}

/** Color of an item that deletes something or takes access away. */
export const DANGER = 'var(--mantine-color-error)';

/** Button with three dots and its menu. */
export function ItemMenu({ label, isInDialog = false, children }: ItemMenuProps): ReactNode {
  return (
    <Menu position="bottom-end" withinPortal={!isInDialog} portalProps={IN_MAIN}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={26}
          aria-label={label}
          c="inherit"
          className="item-menu"
        >
          <svg viewBox="0 0 24 24" width="18" height="18" fill="currentColor" aria-hidden="true">
            <circle cx="5" cy="12" r="2" />
            <circle cx="12" cy="12" r="2" />
            <circle cx="19" cy="12" r="2" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
