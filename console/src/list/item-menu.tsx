import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { IN_MAIN } from '../common/in-main';

export interface ItemMenuProps {
  /** Such as `Actions for Logistics`. */
  readonly label: string;
  readonly children: ReactNode;
}

/** Button with three dots and its menu. */
export function ItemMenu({ label, children }: ItemMenuProps): ReactNode {
  return (
    <Menu position="bottom-end" portalProps={IN_MAIN}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} c="inherit">
          <svg viewBox="0 0 24 24" width="20" height="20" fill="currentColor" aria-hidden="true">
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
