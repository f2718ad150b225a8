import type { ReactNode } from 'react';
import { Page } from '../shell/page';

export default function SignInPage(): ReactNode {
  return <Page title="Sign in">{null}</Page>;
}
