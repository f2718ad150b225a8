import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyField } from '../common/copy-field';
import { EmptyState } from '../common/empty-state';
import { exampleCurl, firstObjectsQuery } from '../list/example-call';
import { text } from '../text/text';

const SAMPLE_KEY = 'mk_…';

/** Shown in place of an empty log: a request to begin with. */
export function EmptyLog(): ReactNode {
  const { data, isPending } = useQuery(firstObjectsQuery);
  const { none, noneHint, example, copyExample } = text.requests;
  const call = isPending ? undefined : (
    <CopyField
      label={example}
      text={exampleCurl(SAMPLE_KEY, data?.datagrid?.id)}
      copyLabel={copyExample}
    />
  );
  return (
    <EmptyState title={none} action={call}>
      {noneHint}
    </EmptyState>
  );
}

/** Shown if no request matches the filters. */
export function NoMatch({ onClear }: { readonly onClear: () => void }): ReactNode {
  const clear = (
    <Button variant="default" onClick={onClear}>
      {text.requests.clear}
    </Button>
  );
  return (
    <EmptyState title={text.requests.noMatch} action={clear}>
      {text.requests.noMatchHint}
    </EmptyState>
  );
}
