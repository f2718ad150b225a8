import { Alert, Input, NativeSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { linksText } from '../../text/links-text';
import { isComputed } from '../column-type';
import type { Column } from '../datagrid';
import { datagridQuery } from '../datagrid-calls';
import { DatagridLink } from '../datagrid-link';
import { findColumn } from '../previous-key';
import { linkColumns } from '../stored-columns';
import { readableColumns } from './column-draft';
import { DatagridField, type LinkFieldsProps } from './link-fields';

const t = linksText.computed;

/** What a computed column reads, for types whose values are computed. */
export function ComputedFields(props: LinkFieldsProps): ReactNode {
  const { draft, home, isNew } = props;
  if (!isComputed(draft.type)) return null;
  const link = findColumn(home.columns, draft.link);
  const isLookup = draft.type === 'lookup';
  const sourceId = isLookup ? (link?.options.datagridId ?? '') : draft.datagridId;
  if (!isNew) return <Definition {...props} link={link} sourceId={sourceId} />;
  return (
    <>
      {isLookup ? <LinkField {...props} /> : <CountedField {...props} />}
      {sourceId !== '' && <SourceField {...props} sourceId={sourceId} />}
    </>
  );
}

interface SourceProps extends LinkFieldsProps {
  /** Id of the datagrid that the column reads. */
  readonly sourceId: string;
}

/** The definition of a column that exists. It never changes. */
function Definition({
  draft,
  link,
  sourceId,
}: SourceProps & { readonly link: Column | undefined }): ReactNode {
  const { data } = useQuery({ ...datagridQuery(sourceId), enabled: sourceId !== '' });
  const title = findColumn(data?.columns ?? [], draft.column)?.title ?? draft.column;
  return (
    <>
      {draft.broken && <Alert color="yellow">{t.broken}</Alert>}
      {draft.type === 'lookup' && (
        <Input.Wrapper label={t.link} labelElement="div">
          <div>{link?.title ?? draft.link}</div>
        </Input.Wrapper>
      )}
      <Input.Wrapper
        label={draft.type === 'lookup' ? t.column : t.counted}
        description={t.fixedHint}
        labelElement="div"
      >
        <div>
          {title}
          {sourceId !== '' && (
            <>
              {t.of}
              <DatagridLink id={sourceId} />
            </>
          )}
        </div>
      </Input.Wrapper>
    </>
  );
}

/** The link column that a lookup follows. */
function LinkField({ draft, home, errors, onChange }: LinkFieldsProps): ReactNode {
  const links = linkColumns(home.columns);
  return (
    <NativeSelect
      label={t.link}
      description={links.length === 0 ? t.noLinks : t.linkHint}
      required
      value={draft.link}
      data={[{ value: '', label: t.choose }, ...links.map(toOption)]}
      error={errors['options.link']}
      onChange={({ currentTarget: { value: link } }) => {
        onChange({ ...draft, link, column: '' });
      }}
    />
  );
}

/** The datagrid whose rows are counted. */
function CountedField(props: LinkFieldsProps): ReactNode {
  const { onChange } = props;
  return (
    <DatagridField
      {...props}
      label={t.datagrid}
      hint={t.datagridHint}
      onChange={(draft) => {
        onChange({ ...draft, column: '' });
      }}
    />
  );
}

/** The column that is read in the other datagrid. */
function SourceField({ draft, home, sourceId, errors, onChange }: SourceProps): ReactNode {
  const { data, error } = useQuery(datagridQuery(sourceId));
  const columns = data ? readableColumns(draft, home.id, data.columns) : [];
  const isLookup = draft.type === 'lookup';
  const none = isLookup ? t.noColumns : t.noLinkingColumns;
  const hint = isLookup ? t.columnHint : t.countedHint;
  return (
    <Select
      label={isLookup ? t.column : t.counted}
      description={data && columns.length === 0 ? none(data.name) : hint}
      placeholder={t.choose}
      required
      searchable
      limit={100}
      data={columns.map(toOption)}
      // A click in a list outside of the form would close it.
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={error ? t.failed : t.noneFound}
      value={draft.column === '' ? null : draft.column}
      error={errors['options.column'] ?? (error ? t.failed : undefined)}
      onChange={(column) => {
        onChange({ ...draft, column: column ?? '' });
      }}
    />
  );
}

const toOption = ({ key, title }: Column): { value: string; label: string } => ({
  value: key,
  label: title === key ? title : t.titleAndKey(title, key),
});
