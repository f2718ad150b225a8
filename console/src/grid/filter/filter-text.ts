import type { Column } from '../../datagrids/datagrid';
import { text } from '../../text/text';
import { OPERATOR_LABELS, takesNoValue } from './condition';
import { isCondition, isGroup, type FilterPart } from './filter-group';

/** Returns a part of a filter in words, such as `Amount is at least 5`. */
export function filterText(part: FilterPart, columns: readonly Column[]): string {
  if (isGroup(part)) {
    const parts = part.parts.map((one) =>
      isGroup(one) ? `(${filterText(one, columns)})` : filterText(one, columns),
    );
    return parts.join(part.match === 'all' ? text.filter.and : text.filter.or);
  }
  if (!isCondition(part)) return part.json;
  const title = columns.find(({ key }) => key === part.key)?.title ?? part.key;
  const value = takesNoValue(part.operator) ? '' : ` ${part.typed.replaceAll('\n', ', ')}`;
  return `${title} ${OPERATOR_LABELS[part.operator]}${value}`;
}
