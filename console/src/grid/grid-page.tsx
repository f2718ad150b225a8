import type { ReactNode } from 'react';
import { Page } from '../shell/page';

export default function GridPage(): ReactNode {
  return (
    <Page title="Datagrid" isFull>
      {null}
    </Page>
  );
}
