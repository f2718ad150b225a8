import { Button, Group, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { urlOf } from '../../api/client';
import { dataPath } from '../../api/data';
import { Dialog } from '../../common/dialog';
import { quoted } from '../../text/words';
import { datagridsText } from '../../text/datagrids-text';
import type { RowQuery } from '../row-query';
import type { Datagrid } from '../datagrid';
import { datagridPath } from '../datagrid-calls';
import { fileName } from '../download';

const t = datagridsText.exports;

export interface ExportDialogProps {
  readonly datagrid: Datagrid;
  /** Query of the rows on the screen. */
  readonly rowQuery: RowQuery;
  readonly onClose: () => void;
}

const KINDS = ['spreadsheet', 'exact', 'ndjson'] as const;
type FileKind = (typeof KINDS)[number];

/** Exports all rows, or the rows on the screen in their order. */
export function ExportDialog({ datagrid, rowQuery, onClose }: ExportDialogProps): ReactNode {
  const isNarrowed = Object.values(rowQuery).some((part) => part !== undefined);
  const [kind, setKind] = useState<FileKind>('spreadsheet');
  const [delimiter, setDelimiter] = useState('comma');
  const format = kind === 'ndjson' ? 'ndjson' : 'csv';
  const isLinked = rowQuery.filter?.includes('"$row"') ?? false;
  const [which, setWhich] = useState(isNarrowed && !isLinked ? 'screen' : 'all');
  const url = urlOf(dataPath(`${datagridPath(datagrid.id)}/rows/export`), {
    format,
    ...(kind === 'spreadsheet' && { escapeFormulas: true, bom: true }),
    ...(kind === 'spreadsheet' && delimiter !== 'comma' && { delimiter }),
    ...(which === 'screen' ? rowQuery : {}),
  });
  return (
    <Dialog title={t.title(quoted(datagrid.name))} isOpen onClose={onClose}>
      <Stack>
        <Radio.Group
          label={t.format}
          value={kind}
          onChange={(value) => {
            setKind(KINDS.find((each) => each === value) ?? 'spreadsheet');
          }}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="spreadsheet"
              label={t.spreadsheet}
              description={t.spreadsheetHint}
              data-autofocus
            />
            <Radio value="exact" label={t.exact} description={t.exactHint} />
            <Radio value="ndjson" label={t.ndjson} />
          </Stack>
        </Radio.Group>
        {kind === 'spreadsheet' && (
          <NativeSelect
            label={t.delimiter}
            value={delimiter}
            data={[
              { value: 'comma', label: t.comma },
              { value: 'semicolon', label: t.semicolon },
              { value: 'tab', label: t.tab },
            ]}
            onChange={({ currentTarget: { value } }) => {
              setDelimiter(value);
            }}
          />
        )}
        {isNarrowed && (
          <Radio.Group label={t.rows} value={which} onChange={setWhich}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="screen"
                label={t.displayedRows}
                disabled={isLinked}
                description={isLinked && t.noLinked}
              />
              <Radio value="all" label={t.allRows} />
            </Stack>
          </Radio.Group>
        )}
        <Text size="sm" c="dimmed">
          {t.hint}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.close}
          </Button>
          <Button component="a" href={url} download={fileName(datagrid.name, format)}>
            {t.download}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
