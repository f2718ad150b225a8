import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { isApiError, messageOf } from '../../../api/api-error';
import { datagridQuery } from '../../../datagrids/datagrid-calls';
import { titleColumn } from '../../../datagrids/title-column';
import { linksText } from '../../../text/links-text';
import { MAX_SCANNED, searchRows, type FoundRow, type SearchKind } from './link-search';

const t = linksText.picker;

/** Pause in the typing after which the rows are searched. */
const DEBOUNCE_MS = 200;

export interface LinkSearch {
  readonly rows: readonly FoundRow[];
  /** Whether `rows` are those for the text. */
  readonly isCurrent: boolean;
  /** What the user should know about the list, or why there is none; empty for nothing. */
  readonly note: string;
}

/** Searches rows of a datagrid while the user types. @param isOpen Whether the list is shown. */
export function useLinkSearch(datagridId: string, text: string, isOpen: boolean): LinkSearch {
  const typed = text.trim();
  const [debounced] = useDebouncedValue(typed, DEBOUNCE_MS);
  // The first rows are listed again at once.
  const asked = typed === '' ? '' : debounced;
  const datagrid = useQuery({ ...datagridQuery(datagridId), enabled: isOpen });
  const { data: target } = datagrid;
  const search = useQuery({
    queryKey: ['linked-rows', datagridId, asked],
    queryFn: isOpen && target ? ({ signal }) => searchRows(target, asked, signal) : skipToken,
    placeholderData: keepPreviousData,
  });
  const error = datagrid.error ?? search.error;
  const { rows = [], kind = 'contains' } = search.data ?? {};
  const isLoaded = search.data !== undefined && !search.isPlaceholderData;
  const column = target && titleColumn(target.columns);
  const isCurrent = error !== null || (isLoaded && asked === typed);
  if (error) return { rows: [], isCurrent, note: failureNote(error) };
  if (target && !column) return { rows: [], isCurrent, note: t.noTitle };
  return {
    rows,
    isCurrent,
    note: isCurrent ? listNote(kind, rows, column?.title ?? '') : t.loading,
  };
}

function failureNote(error: unknown): string {
  const isDenied = isApiError(error) && [403, 404].includes(error.status);
  return isDenied ? t.noAccess : t.failed(messageOf(error));
}

function listNote(kind: SearchKind, rows: readonly FoundRow[], column: string): string {
  if (kind === 'limited') return t.limited(column, MAX_SCANNED.toLocaleString());
  if (kind === 'startsWith') return t.startsWith(column);
  return rows.length === 0 ? t.none : '';
}
