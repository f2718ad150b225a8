import type { ReactNode } from 'react';
import { formatDate, formatDateAndTime, formatRelative } from './time';

/** Shows a relative time, and the exact time on hover. */
export function When({ iso }: { readonly iso: string }): ReactNode {
  return (
    <time dateTime={iso} title={formatDateAndTime(iso)}>
      {formatRelative(iso)}
    </time>
  );
}

/** Shows a day, and the exact time on hover. */
export function Day({ iso }: { readonly iso: string }): ReactNode {
  return (
    <time dateTime={iso} title={formatDateAndTime(iso)}>
      {formatDate(iso)}
    </time>
  );
}
