import { Button, Group, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { urlOf } from '../../api/client';
import { dataPath } from '../../api/data';
import { Dialog } from '../../common/dialog';
import { quoted } from '../../common/quoted';
import type { RowQuery } from '../row-query';
import type { Datagrid } from '../datagrid';
import { datagridPath } from '../datagrid-calls';
import { fileName } from '../download';

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
  const [which, setWhich] = useState(isNarrowed ? 'screen' : 'all');
  const url = urlOf(dataPath(`${datagridPath(datagrid.id)}/rows/export`), {
    format,
    ...(kind === 'spreadsheet' && { escapeFormulas: true, bom: true }),
    ...(kind === 'spreadsheet' && delimiter !== 'comma' && { delimiter }),
    ...(which === 'screen' ? rowQuery : {}),
  });
  return (
    <Dialog title={`Export ${quoted(datagrid.name)}`} isOpen onClose={onClose}>
      <Stack>
        <Radio.Group
          label="Format"
          value={kind}
          onChange={(value) => {
            setKind(KINDS.find((each) => each === value) ?? 'spreadsheet');
          }}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="spreadsheet"
              label="CSV for spreadsheets"
              description="Opens in Excel, Numbers and Google Sheets. Text that looks like a formula gets an apostrophe before it, so it does not run."
              data-autofocus
            />
            <Radio
              value="exact"
              label="CSV, exact"
              description="Every value as stored. Choose it to import the file again or to read it with a program."
            />
            <Radio value="ndjson" label="NDJSON, one JSON object per line" />
          </Stack>
        </Radio.Group>
        {kind === 'spreadsheet' && (
          <NativeSelect
            label="Delimiter"
            value={delimiter}
            data={[
              { value: 'comma', label: 'Comma' },
              { value: 'semicolon', label: 'Semicolon, for Excel with a decimal comma' },
              { value: 'tab', label: 'Tab' },
            ]}
            onChange={({ currentTarget: { value } }) => {
              setDelimiter(value);
            }}
          />
        )}
        {isNarrowed && (
          <Radio.Group label="Rows" value={which} onChange={setWhich}>
            <Stack gap="xs" mt="xs">
              <Radio value="screen" label="Displayed rows, in the displayed order" />
              <Radio value="all" label="All" />
            </Stack>
          </Radio.Group>
        )}
        <Text size="sm" c="dimmed">
          The file is a snapshot. It contains no unsaved edits.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button component="a" href={url} download={fileName(datagrid.name, format)}>
            Download
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
