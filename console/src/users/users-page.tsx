import type { ReactNode } from 'react';
import { Page } from '../shell/page';

export default function UsersPage(): ReactNode {
  return <Page title="Users">{null}</Page>;
}
