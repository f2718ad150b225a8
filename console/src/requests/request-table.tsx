import { Badge, Code, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type TableColumn } from '../common/data-table';
import { formatExactTime, formatRelative } from '../common/time';
import { text } from '../text/text';
import { colorOf, durationText, pathOf } from './shown-request';
import type { KeyRequest } from './requests-query';

const { columns } = text.requests;

const COLUMNS: readonly TableColumn<KeyRequest>[] = [
  { title: columns.status, cell: (request) => <Status request={request} /> },
  {
    title: columns.request,
    cell: ({ method, route }) => (
      <Code className="request-line">
        {method} {route === null ? <i>{text.requests.unknownRoute}</i> : pathOf(route)}
      </Code>
    ),
  },
  { title: columns.key, isWide: true, cell: ({ key }) => keyText(key) },
  {
    title: columns.time,
    cell: ({ at }) => (
      <time dateTime={at} title={formatRelative(at)} className="quiet">
        {formatExactTime(at)}
      </time>
    ),
  },
  {
    title: columns.duration,
    isWide: true,
    isNumber: true,
    cell: ({ durationMs }) => durationText(durationMs),
  },
  {
    title: columns.requestId,
    isWide: true,
    cell: ({ requestId }) => <span className="quiet">{requestId}</span>,
  },
];

/** Requests as a table. */
export function RequestTable({
  requests,
}: {
  readonly requests: readonly KeyRequest[];
}): ReactNode {
  return (
    <DataTable
      label={text.requests.label}
      columns={COLUMNS}
      items={requests}
      idOf={({ id }) => id}
    />
  );
}

function Status({ request }: { readonly request: KeyRequest }): ReactNode {
  const { status, errorCode, aborted } = request;
  return (
    <Group gap="xs">
      <Badge variant="light" color={colorOf(status)} className="request-status">
        {status ?? text.requests.noStatus}
      </Badge>
      {errorCode}
      {aborted && (
        <span className="quiet" title={text.requests.incompleteHint}>
          {text.requests.incomplete}
        </span>
      )}
    </Group>
  );
}

/** Returns the name of a key, and its owner if known. */
function keyText({ name, lastFour, email }: KeyRequest['key']): ReactNode {
  return (
    <>
      {name === null ? <i>{text.requests.deletedKey}</i> : `${name} …${lastFour ?? ''}`}
      {email !== null && <div className="quiet">{email}</div>}
    </>
  );
}
