import { Code, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loading } from '../../../common/loading';
import { Problem } from '../../../common/problem';
import { datagridQuery } from '../../../datagrids/datagrid-calls';
import { connectionsText } from '../../../text/connections-text';
import { datagridNamesQuery } from '../../../datagrids/datagrid-names';
import { DELETIONS, type Deletions } from '../connection';

const t = connectionsText.preview;

/** Number of datagrids whose columns are shown at once. The user opens those of others. */
const MAX_OPEN = 5;
/** Maximum number of datagrids in the list. */
const MAX_LISTED = 100;

export interface TablePreviewProps {
  readonly workspaceId: string;
  readonly datagridIds: readonly string[] | null;
  readonly deletions: Deletions;
}

/** Lists the datagrids, and the columns that each one's table will have. */
export function TablePreview(props: TablePreviewProps): ReactNode {
  const { workspaceId, datagridIds, deletions } = props;
  const { data, error, refetch } = useQuery(datagridNamesQuery(workspaceId));
  if (!data) {
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  const ids = datagridIds ?? [...data.names.keys()];
  const more = ids.length - MAX_LISTED;
  return (
    <section aria-labelledby="preview">
      <Title order={3} size="h5" id="preview">
        {t.title}
      </Title>
      <Text size="sm" mb="xs">
        {datagridIds === null ? t.all : t.some} {t.names}
      </Text>
      {ids.length === 0 && <Text size="sm">{t.none}</Text>}
      <ul className="plain-list table-preview">
        {ids.slice(0, MAX_LISTED).map((id) => (
          <li key={id}>
            <Preview
              datagridId={id}
              name={data.names.get(id) ?? id}
              isOpen={ids.length <= MAX_OPEN}
              deletions={deletions}
            />
          </li>
        ))}
      </ul>
      {(more > 0 || data.isCut) && <Text size="sm">{t.more(more, data.isCut)}</Text>}
    </section>
  );
}

interface PreviewProps {
  readonly datagridId: string;
  readonly name: string;
  readonly isOpen: boolean;
  readonly deletions: Deletions;
}

function Preview({ datagridId, name, isOpen, deletions }: PreviewProps): ReactNode {
  const [wasOpened, setWasOpened] = useState(isOpen);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setWasOpened(true);
      }}
    >
      <summary>{name}</summary>
      {wasOpened && <PreviewColumns datagridId={datagridId} deletions={deletions} />}
    </details>
  );
}

type PreviewColumnsProps = Pick<PreviewProps, 'datagridId' | 'deletions'>;

function PreviewColumns({ datagridId, deletions }: PreviewColumnsProps): ReactNode {
  const { data, error } = useQuery(datagridQuery(datagridId));
  if (!data) {
    return <Text size="sm">{error ? t.failed : t.loading}</Text>;
  }
  const own = ['_id', '_revision', '_synced_at', ...DELETIONS[deletions].columns];
  return (
    <ul className="plain-list preview-columns" aria-label={t.columnsOf(data.name)}>
      {[...own, ...data.columns.map(({ key }) => key)].map((key) => (
        <li key={key}>
          <Code>{key}</Code>
        </li>
      ))}
    </ul>
  );
}
