import { Alert, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChangePreview, ConvertedExample } from './column-change';

/** Shows what a change of a column does to the rows, or which rows conflict with it. */
export function Preview({ preview }: { readonly preview: ChangePreview }): ReactNode {
  const { rows, checked, conflicting, examples, conversion, choices } = preview;
  const unchecked =
    checked < rows
      ? `Only the first ${checked.toLocaleString()} of ${rows.toLocaleString()} rows were checked.`
      : null;
  if (conflicting > 0) {
    const conflicts =
      conflicting === 1 ? '1 row conflicts' : `${conflicting.toLocaleString()} rows conflict`;
    return (
      <Alert color="red" role="alert">
        <Text size="sm">{conflicts} with the change. Edit or delete these rows first.</Text>
        <List size="sm" mt="xs">
          {examples.map(({ rowId, value }) => (
            <List.Item key={rowId} className="written-text">
              Id {rowId}: {printed(value)}
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
        ? `None of the first ${checked.toLocaleString()} of ${rows.toLocaleString()} rows conflicts with the change. The others are checked when you save it.`
        : `No row conflicts with the change. All ${rows.toLocaleString()} rows keep their values.`}
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
              {`${valuesOf(emptied)} will become empty`}
            </Text>
            <Examples examples={emptiedExamples} />
          </>
        )}
        {converted > 0 && (
          <>
            <Text size="sm" fw={600}>
              {`${valuesOf(converted)} will be converted`}
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
          Id {rowId}: {printed(value)} → {converted === null ? 'empty' : printed(converted)}
        </List.Item>
      ))}
    </List>
  );
}

/** Lists the first choices. */
function choicesText(choices: readonly string[]): string {
  const first = choices.slice(0, 8).join(', ');
  const count = choices.length === 1 ? '1 choice' : `${choices.length.toLocaleString()} choices`;
  return `${count}: ${first}${choices.length > 8 ? ', …' : ''}`;
}

const valuesOf = (count: number): string =>
  count === 1 ? '1 value' : `${count.toLocaleString()} values`;

const printed = (value: unknown): string =>
  value === null || value === undefined ? 'no value' : JSON.stringify(value);
