import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { readStored, store } from '../common/browser-storage';

const STORED = 'sidebar';

export interface SidebarState {
  /** True on a small screen, where the navigation is a drawer. */
  readonly isDrawer: boolean;
  readonly isCollapsed: boolean;
  readonly toggle: () => void;
}

/**
 * Whether the sidebar is collapsed. Until the user decides, it is collapsed only beside the rows of
 * a datagrid, which need the width.
 */
export function useSidebar(): SidebarState {
  const isDrawer = useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
  const [chosen, setChosen] = useState<string | null>(() => readStored(STORED));
  const isGrid = useLocation().pathname.startsWith('/datagrids/');
  const isCollapsed = chosen === null ? isGrid : chosen === 'collapsed';
  const toggle = (): void => {
    const next = isCollapsed ? 'expanded' : 'collapsed';
    setChosen(next);
    // Without storage, the choice lasts until the page is loaded again.
    store(STORED, next);
  };
  return { isDrawer, isCollapsed, toggle };
}
