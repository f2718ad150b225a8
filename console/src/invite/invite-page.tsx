import type { ReactNode } from 'react';
import { Page } from '../shell/page';

export default function InvitePage(): ReactNode {
  return <Page title="Set a password">{null}</Page>;
}
