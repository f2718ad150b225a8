import { Input, NativeSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { linksText } from '../../text/links-text';
import { isLink } from '../column-type';
import type { Datagrid, DeletePolicy } from '../datagrid';
import { DatagridLink } from '../datagrid-link';
import { datagridNamesQuery } from '../datagrid-names';
import type { ColumnDraft } from './column-draft';

const t = linksText.column;

const POLICIES: readonly DeletePolicy[] = ['restrict', 'clear', 'cascade'];

/** The datagrid of a column. */
export type LinkHome = Pick<Datagrid, 'id' | 'workspaceId' | 'columns'>;

export interface LinkFieldsProps {
  readonly draft: ColumnDraft;
  readonly home: LinkHome;
  readonly isNew: boolean;
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (draft: ColumnDraft) => void;
}

/** The linked datagrid, and what happens if a linked row is deleted, for types that link to rows. */
export function LinkFields(props: LinkFieldsProps): ReactNode {
  const { draft, isNew, errors, onChange } = props;
  if (!isLink(draft.type)) return null;
  return (
    <>
      {isNew ? (
        <DatagridField {...props} label={t.datagrid} hint={t.datagridHint} />
      ) : (
        <Input.Wrapper label={t.datagrid} description={t.fixedHint} labelElement="div">
          <div>
            <DatagridLink id={draft.datagridId} />
          </div>
        </Input.Wrapper>
      )}
      <NativeSelect
        label={t.onDelete}
        description={t.policies[draft.onDelete].hint}
        value={draft.onDelete}
        data={POLICIES.map((policy) => ({ value: policy, label: t.policies[policy].label }))}
        error={errors['options.onDelete']}
        onChange={({ currentTarget: { value } }) => {
          const onDelete = POLICIES.find((one) => one === value);
          if (onDelete) onChange({ ...draft, onDelete });
        }}
      />
    </>
  );
}

interface DatagridFieldProps extends LinkFieldsProps {
  readonly label: string;
  readonly hint: string;
}

/** A datagrid of the workspace. */
export function DatagridField(props: DatagridFieldProps): ReactNode {
  const { draft, home, errors, label, hint, onChange } = props;
  const { data, error } = useQuery(datagridNamesQuery(home.workspaceId));
  const options = [...(data?.names ?? [])].map(([value, name]) => ({
    value,
    label: value === home.id ? t.own(name) : name,
  }));
  return (
    <Select
      label={label}
      description={data?.isCut ? t.cut(data.names.size) : hint}
      placeholder={t.choose}
      required
      searchable
      limit={100}
      data={options}
      // A click in a list outside of the form would close it.
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={error ? t.failed : t.noneFound}
      value={draft.datagridId === '' ? null : draft.datagridId}
      error={errors['options.datagridId']}
      onChange={(datagridId) => {
        onChange({ ...draft, datagridId: datagridId ?? '' });
      }}
    />
  );
}
