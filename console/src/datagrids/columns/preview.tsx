import { Alert, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { datagridsText } from '../../text/datagrids-text';
import type { ChangePreview, ConvertedExample } from './column-change';

const t = datagridsText.change;

/** Shows what a change of a column does to the rows, or which rows conflict with it. */
export function Preview({ preview }: { readonly preview: ChangePreview }): ReactNode {
  const { rows, checked, conflicting, examples, conversion, choices } = preview;
  const unchecked =
    checked < rows ? t.checked(checked.toLocaleString(), rows.toLocaleString()) : null;
  if (conflicting > 0) {
    return (
      <Alert color="red" role="alert">
        <Text size="sm">{t.conflicts(conflicting)}</Text>
        <List size="sm" mt="xs">
          {examples.map(({ rowId, value }) => (
            <List.Item key={rowId} className="written-text">
              {t.example(rowId, printed(value))}
            </List.Item>
          ))}
        </List>
      </Alert>
    );
  }
  if (conversion && (choices || conversion.converted + conversion.emptied > 0)) {
    return <Conversion conversion={conversion} choices={choices} unchecked={unchecked} />;
  }
  return (
    <Alert color="green" role="status">
      {checked < rows
        ? t.noConflictIn(checked.toLocaleString(), rows.toLocaleString())
        : t.noConflict(rows.toLocaleString())}
    </Alert>
  );
}

interface ConversionProps {
  readonly conversion: NonNullable<ChangePreview['conversion']>;
  readonly choices: readonly string[] | undefined;
  readonly unchecked: string | null;
}

function Conversion({ conversion, choices, unchecked }: ConversionProps): ReactNode {
  const { converted, emptied, convertedExamples, emptiedExamples } = conversion;
  return (
    <Alert
      color={emptied > 0 ? 'orange' : 'green'}
      role={emptied > 0 ? 'alert' : 'status'}
      className="written-text"
    >
      <Stack gap="xs">
        {emptied > 0 && (
          <>
            <Text size="sm" fw={600}>
              {t.emptied(emptied)}
            </Text>
            <Examples examples={emptiedExamples} />
          </>
        )}
        {converted > 0 && (
          <>
            <Text size="sm" fw={600}>
              {t.converted(converted)}
            </Text>
            <Examples examples={convertedExamples} />
          </>
        )}
        {choices && <Text size="sm">{choicesText(choices)}</Text>}
        {unchecked !== null && <Text size="sm">{unchecked}</Text>}
      </Stack>
    </Alert>
  );
}

function Examples({ examples }: { readonly examples: readonly ConvertedExample[] }): ReactNode {
  return (
    <List size="sm">
      {examples.map(({ rowId, value, converted }) => (
        <List.Item key={rowId}>
          {t.conversion(rowId, printed(value), converted === null ? t.empty : printed(converted))}
        </List.Item>
      ))}
    </List>
  );
}

/** Lists the first choices. */
function choicesText(choices: readonly string[]): string {
  const first = choices.slice(0, 8).join(', ');
  return t.choices(choices.length, `${first}${choices.length > 8 ? ', …' : ''}`);
}

const printed = (value: unknown): string =>
  value === null || value === undefined ? t.noValue : JSON.stringify(value);
