import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { urlOf } from '../../api/client';
import { dataPath } from '../../api/data';
import { Dialog } from '../../common/dialog';
import { quoted } from '../../common/quoted';
import type { RowQuestion } from '../row-question';
import type { Datagrid } from '../datagrid';
import { datagridPath } from '../datagrid-calls';
import { fileName } from '../download';

export interface ExportDialogProps {
  readonly datagrid: Datagrid;
  /** What is on the screen. */
  readonly question: RowQuestion;
  readonly onClose: () => void;
}

/** All rows as a file, or those on the screen in their order. */
export function ExportDialog({ datagrid, question, onClose }: ExportDialogProps): ReactNode {
  const isNarrowed = Object.values(question).some((part) => part !== undefined);
  const [format, setFormat] = useState('csv');
  const [which, setWhich] = useState(isNarrowed ? 'screen' : 'all');
  const url = urlOf(dataPath(`${datagridPath(datagrid.id)}/rows/export`), {
    format,
    ...(which === 'screen' ? question : {}),
  });
  return (
    <Dialog title={`Export ${quoted(datagrid.name)}`} isOpen onClose={onClose}>
      <Stack>
        <Radio.Group label="Format" value={format} onChange={setFormat}>
          <Stack gap="xs" mt="xs">
            <Radio value="csv" label="CSV, for spreadsheets" data-autofocus />
            <Radio value="ndjson" label="NDJSON, one JSON object a line" />
          </Stack>
        </Radio.Group>
        {isNarrowed && (
          <Radio.Group label="Rows" value={which} onChange={setWhich}>
            <Stack gap="xs" mt="xs">
              <Radio value="screen" label="Those that are shown, in their order" />
              <Radio value="all" label="All" />
            </Stack>
          </Radio.Group>
        )}
        <Text size="sm" c="dimmed">
          All of one moment. What is typed here and not saved is not in it.
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
