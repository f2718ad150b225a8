import { createContext, useContext, useSyncExternalStore } from 'react';
import type { LinkTitles } from './link-titles';

/** Titles of the rows that the rows of the grid link to. */
export const LinkTitlesContext = createContext<LinkTitles | undefined>(undefined);

/** Returns the titles. The component is not drawn again when they change. */
export function useTitleStore(): LinkTitles {
  const titles = useContext(LinkTitlesContext);
  if (!titles) throw new Error('This component must be inside a grid.');
  return titles;
}

/** Returns the titles. The component is drawn again when they change. */
export function useLinkTitles(): LinkTitles {
  const titles = useTitleStore();
  useSyncExternalStore(titles.subscribe, titles.version);
  return titles;
}
