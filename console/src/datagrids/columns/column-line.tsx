import { Badge, Group, Menu, Progress, Text } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { CopyButton } from '../../common/copy-button';
import { shownValue } from '../../grid/cells/values/shown-value';
import { ChevronIcon } from '../../common/icon';
import { Parts } from '../../common/parts';
import { DANGER, ItemMenu } from '../../list/item-menu';
import { datagridsText } from '../../text/datagrids-text';
import { linksText } from '../../text/links-text';
import { text } from '../../text/text';
import { ColumnTypeIcon } from '../column-type-icon';
import type { Column } from '../datagrid';
import { DatagridLink } from '../datagrid-link';
import './columns.css';

const t = datagridsText.columns;

export interface ColumnLineProps {
  readonly column: Column;
  readonly mayChange: boolean;
  readonly onChange: () => void;
  readonly onRemove: () => void;
}

/** A column in one line: its type, title, key and actions. Its title opens the details. */
export function ColumnLine({ column, mayChange, onChange, onRemove }: ColumnLineProps): ReactNode {
  const { key, title, type } = column;
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  return (
    <li className="column-item">
      <div className="column-line">
        <button
          type="button"
          className="column-toggle"
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          title={t.titleAndType(title, type)}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          <ChevronIcon />
          <ColumnTypeIcon type={type} />
          <span className="column-title">{title}</span>
          <span className="column-key">{key}</span>
        </button>
        {mayChange && (
          <ItemMenu label={text.lists.actionsFor(title)} isInDialog>
            <Menu.Item onClick={onChange}>{t.change}</Menu.Item>
            <Menu.Item c={DANGER} onClick={onRemove}>
              {t.remove}
            </Menu.Item>
          </ItemMenu>
        )}
      </div>
      <Indexing column={column} />
      {isOpen && (
        <div id={detailsId} className="column-details">
          <ColumnDetails column={column} />
        </div>
      )}
    </li>
  );
}

/** The progress of an index that is being built. */
function Indexing({ column: { title, indexing } }: { readonly column: Column }): ReactNode {
  if (!indexing) return null;
  const percent = Math.round(indexing.progress * 100);
  return (
    <Group gap="xs" wrap="nowrap" className="column-details">
      <Progress value={percent} aria-label={t.indexOf(title)} flex={1} />
      <Text size="xs">{t.indexing(percent)}</Text>
    </Group>
  );
}

/** Maximum number of choices that are listed. */
const MAX_CHOICES = 8;

function ColumnDetails({ column }: { readonly column: Column }): ReactNode {
  const { key, type, required, unique, indexed, options, defaultValue } = column;
  const { previousKeys = [] } = column;
  const { choices = [] } = options;
  const more = choices.length > MAX_CHOICES ? ', …' : '';
  return (
    <>
      <Text size="sm" className="written-text">
        {key}: {type}
        {choices.length > 0 && ` (${choices.slice(0, MAX_CHOICES).join(', ')}${more})`}
      </Text>
      <Reads column={column} />
      {options.start !== undefined && <Text size="sm">{t.startsWith(String(options.start))}</Text>}
      {previousKeys.length > 0 && (
        <Text size="sm" className="written-text">
          {t.previousKeys(previousKeys.map((previous) => previous.key).join(', '))}
        </Text>
      )}
      {defaultValue !== undefined && (
        <Text size="sm" className="written-text">
          {t.defaultOf(shownValue(column, defaultValue))}
        </Text>
      )}
      <Group gap="xs" mt={4}>
        {required && <Badge variant="default">{t.isRequired}</Badge>}
        {unique && <Badge variant="default">{t.isUnique}</Badge>}
        {indexed && <Badge variant="default">{t.isIndexed}</Badge>}
        {options.ignoreCase && <Badge variant="default">{t.ignoresCase}</Badge>}
        <CopyButton text={key} label={t.copyKey} size="compact-xs" />
      </Group>
    </>
  );
}

/** The rows that a column links to, or that its values are computed from. */
function Reads({ column: { type, options } }: { readonly column: Column }): ReactNode {
  const { datagridId, column = '', link = '', broken = false } = options;
  const computed = linksText.computed;
  if (broken) return <Text size="sm">{computed.broken}</Text>;
  if (type === 'lookup') return <Text size="sm">{computed.shows(column, link)}</Text>;
  if (datagridId === undefined) return null;
  const target = <DatagridLink id={datagridId} />;
  const parts =
    type === 'count' ? computed.counts(column, target) : [linksText.column.linksTo, target];
  return (
    <Text size="sm">
      <Parts of={parts} />
    </Text>
  );
}
