import type { ReactNode } from 'react';
import { Page } from './page';

export default function NotFoundPage(): ReactNode {
  return <Page title="There is no such page">{null}</Page>;
}
