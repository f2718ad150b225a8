import { Group, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keysQuery } from '../session/keys-query';
import { text } from '../text/text';
import { METHODS, type RequestFilter, STATUS_CLASSES } from './request-filter';
import type { KeyRequest } from './requests-query';

interface Props {
  readonly filter: RequestFilter;
  /** The listed requests, which may have keys of other users. */
  readonly requests: readonly KeyRequest[];
  readonly onChange: (name: keyof RequestFilter, value: string) => void;
}

/** Selects for key, status class and method. */
export function RequestFilters({ filter, requests, onChange }: Props): ReactNode {
  const { data: own = [] } = useQuery(keysQuery);
  const select = (
    name: keyof RequestFilter,
    label: string,
    options: readonly { readonly value: string; readonly label: string }[],
  ): ReactNode => (
    <NativeSelect
      label={label}
      size="xs"
      value={filter[name] ?? ''}
      data={[...options]}
      onChange={({ currentTarget: { value } }) => {
        onChange(name, value);
      }}
    />
  );
  const { allKeys, allStatuses, allMethods, statuses } = text.requests;
  return (
    <Group gap="sm" mb="md" role="group" aria-label={text.requests.filters}>
      {select('key', text.requests.key, [
        { value: '', label: allKeys },
        ...keyOptions(filter.key, own, requests),
      ])}
      {select('status', text.requests.status, [
        { value: '', label: allStatuses },
        ...STATUS_CLASSES.map((value) => ({ value, label: statuses[value] })),
      ])}
      {select('method', text.requests.method, [
        { value: '', label: allMethods },
        ...METHODS.map((value) => ({ value, label: value })),
      ])}
    </Group>
  );
}

interface NamedKey {
  readonly id: string;
  readonly name: string | null;
  readonly lastFour: string | null;
  readonly isApplication?: boolean;
}

/** Returns the user's own keys, those of the listed requests, and the chosen one. */
function keyOptions(
  chosen: string | undefined,
  own: readonly NamedKey[],
  requests: readonly KeyRequest[],
): { value: string; label: string }[] {
  const labels = new Map<string, string>();
  for (const { id, name, lastFour, isApplication } of [...own, ...requests.map(({ key }) => key)]) {
    const hint = isApplication === true ? text.requests.application : `…${lastFour ?? ''}`;
    if (name !== null) labels.set(id, `${name} ${hint}`);
  }
  if (chosen !== undefined && !labels.has(chosen)) labels.set(chosen, text.requests.otherKey);
  return [...labels].map(([value, label]) => ({ value, label }));
}
