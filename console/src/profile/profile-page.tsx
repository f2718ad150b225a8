import type { ReactNode } from 'react';
import { Page } from '../shell/page';

export default function ProfilePage(): ReactNode {
  return <Page title="Profile">{null}</Page>;
}
