import { Anchor, Drawer, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { CopyField } from '../../common/copy-field';
import { useFocusReturn } from '../../common/use-focus-return';
import { datagridsText } from '../../text/datagrids-text';
import type { RowQuery } from '../row-query';
import type { Datagrid } from '../datagrid';
import { KEY_VARIABLE, type ApiCall, type Language } from './api-call';
import { curlCode } from './curl';
import { callsFor } from './example-calls';
import { mcpSettings } from './mcp';
import { pythonCode } from './python';
import { rowTypes } from './row-types';
import { mayRun, RunCall } from './run-call';
import { typescriptCode } from './typescript';

const t = datagridsText.api;

const WRITERS: Readonly<Record<Language, (call: ApiCall) => string>> = {
  curl: curlCode,
  TypeScript: typescriptCode,
  Python: pythonCode,
};

export interface ApiPanelProps {
  readonly datagrid: Datagrid;
  /** Query of the rows on the screen. */
  readonly rowQuery: RowQuery;
  /** ID of an existing row; undefined if none is known. */
  readonly rowId: number | undefined;
  readonly onClose: () => void;
}

/** Drawer with example calls for a datagrid, ready to copy. */
export function ApiPanel({ datagrid, rowQuery, rowId, onClose }: ApiPanelProps): ReactNode {
  const [language, setLanguage] = useState<Language>('curl');
  useFocusReturn(true);
  const write = WRITERS[language];
  return (
    <Drawer opened onClose={onClose} title={t.title} position="right" size="xl" returnFocus={false}>
      <Stack>
        <Text size="sm">
          {t.intro.start}
          <Anchor component={Link} to="/profile" size="sm" underline="always">
            {t.intro.profile}
          </Anchor>
          {t.intro.middle(KEY_VARIABLE)}
          <Anchor href="/docs" size="sm" underline="always">
            {t.intro.docs}
          </Anchor>
          {t.intro.end}
        </Text>
        <SegmentedControl
          aria-label={t.language}
          data={Object.keys(WRITERS)}
          value={language}
          onChange={(value) => {
            setLanguage(value as Language);
          }}
        />
        {callsFor(window.location.origin, datagrid, rowQuery, rowId).map((call) => (
          <Stack key={call.title} gap={4}>
            <CopyField label={call.title} text={write(call)} copyLabel={t.copy} />
            {mayRun(call) && <RunCall call={call} />}
          </Stack>
        ))}
        <CopyField label={t.types} text={rowTypes(datagrid)} copyLabel={t.copy} />
        <CopyField
          label={t.assistants}
          text={mcpSettings(window.location.origin)}
          copyLabel={t.copy}
        />
      </Stack>
    </Drawer>
  );
}
