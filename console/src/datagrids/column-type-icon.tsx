import type { ReactNode } from 'react';
import type { ColumnType } from './column-type';

/** Strokes of the icons, in a square of 16 units. */
const PATHS: Readonly<Record<ColumnType, string>> = {
  text: 'M3.5 5V3.5h9V5M8 3.5v9M6.25 12.5h3.5',
  integer: 'M3 6h10.5M2.5 10H13M6.5 3 5.25 13M10.75 3 9.5 13',
  number: 'M2.25 5.5 4.25 4v8.25M7 12.25h.01M9.75 6a2 2 0 1 1 3.6 1.2l-3.6 5.05h4',
  decimal:
    'M2 12.25h.01M4.75 5.75a1.75 1.75 0 0 1 3.5 0v4.75a1.75 1.75 0 0 1-3.5 0ZM10.5 5.75a1.75 1.75 0 0 1 3.5 0v4.75a1.75 1.75 0 0 1-3.5 0Z',
  boolean:
    'M4 2.5h8A1.5 1.5 0 0 1 13.5 4v8a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12V4A1.5 1.5 0 0 1 4 2.5ZM5.5 8.25l1.75 1.75 3.25-3.75',
  date: 'M4 3.5h8A1.5 1.5 0 0 1 13.5 5v7a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12V5A1.5 1.5 0 0 1 4 3.5ZM2.5 7h11M5.5 2v3M10.5 2v3',
  datetime: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM8 5v3.25l2.25 1.25',
  select: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM5.75 7.25 8 9.5l2.25-2.25',
  multiSelect: 'M2.25 4.75 3.25 5.75l2-2.25M2.25 11.25l1 1 2-2.25M8 4.75h5.75M8 11.25h5.75',
  email:
    'M4 3.5h8A1.5 1.5 0 0 1 13.5 5v6a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 11V5A1.5 1.5 0 0 1 4 3.5ZM3 5l5 3.75L13 5',
  url: 'M6.75 9.25a2.65 2.65 0 0 0 3.75 0l2.25-2.25A2.65 2.65 0 0 0 9 3.25l-.75.75M9.25 6.75a2.65 2.65 0 0 0-3.75 0L3.25 9A2.65 2.65 0 0 0 7 12.75l.75-.75',
  link: 'M3 8h9.5M9.25 4.75 12.5 8l-3.25 3.25',
  multiLink: 'M2.5 5h9M9 2.5 11.5 5 9 7.5M2.5 11h9M9 8.5l2.5 2.5L9 13.5',
  lookup:
    'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.25 10.25l3.25 3.25M5 7h4M7.5 5.25 9.25 7 7.5 8.75',
  count: 'M12.5 3.5h-9L8 8l-4.5 4.5h9',
  autonumber:
    'M3 4.25 4.25 3.5V8M2.75 8H5.5M2.75 11.5h1.5M5.75 11.5h1.5M8.5 4.5h5M8.5 8h5M9.5 11.5h4',
  createdBy:
    'M6.5 7.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM2 13c.25-2.5 2-3.75 4.5-3.75M11.5 9v4.5M9.25 11.25h4.5',
  updatedBy:
    'M6.5 7.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM2 13c.25-2.5 2-3.75 4.5-3.75M9 13.5l.5-2 3-3 1.5 1.5-3 3Z',
  json: 'M6 2.5c-1.5 0-2 .75-2 2v1.75C4 7.25 3.5 8 2.5 8 3.5 8 4 8.75 4 9.75v1.75c0 1.25.5 2 2 2M10 2.5c1.5 0 2 .75 2 2v1.75C12 7.25 12.5 8 13.5 8 12.5 8 12 8.75 12 9.75v1.75c0 1.25-.5 2-2 2',
};

export interface ColumnTypeIconProps {
  readonly type: ColumnType;
  /** Name for screen readers and the pointer, where no text beside the icon names the type. */
  readonly label?: string;
}

/** Icon of a column type, in the color of the text around it. */
export function ColumnTypeIcon({ type, label }: ColumnTypeIconProps): ReactNode {
  return (
    <svg
      className="column-type-icon"
      data-type={type}
      viewBox="0 0 16 16"
      width={16}
      height={16}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {label !== undefined && <title>{label}</title>}
      <path d={PATHS[type]} />
    </svg>
  );
}
