import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type TableColumn } from '../common/data-table';
import { formatDateAndTime, formatRecentTime } from '../common/time';
import { useSession } from '../session/session-context';
import { text } from '../text/text';
import { colorOf, durationText, pathOf } from './shown-request';
import './requests.css';
import type { KeyRequest } from './requests-query';

const { columns } = text.requests;

const COLUMNS: readonly TableColumn<KeyRequest>[] = [
  {
    title: columns.status,
    cell: (request) => <Status request={request} />,
    textOf: ({ status, errorCode }) =>
      [status ?? text.requests.noStatus, errorCode].filter((part) => part !== null).join(' '),
  },
  {
    title: columns.request,
    width: '57%',
    line: 'plain',
    textOf: ({ method, route }) =>
      `${method} ${route === null ? text.requests.unknownRoute : pathOf(route)}`,
    cell: ({ method, route }) => (
      <span className="request-line">
        {method} {route === null ? <i>{text.requests.unknownRoute}</i> : pathOf(route)}
      </span>
    ),
  },
  {
    title: columns.key,
    width: '21%',
    isWide: true,
    cell: ({ key }) => <Key of={key} />,
    textOf: ({ key }) =>
      [key.name ?? text.requests.deletedKey, key.lastFour && `…${key.lastFour}`, key.email]
        .filter(Boolean)
        .join(' '),
  },
  {
    title: columns.time,
    isTime: true,
    cell: ({ at }) => (
      <time dateTime={at} title={formatDateAndTime(at)} className="quiet">
        {formatRecentTime(at)}
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
    width: '22%',
    isWide: true,
    cell: ({ requestId }) => (
      <span className="request-id" title={requestId}>
        {requestId}
      </span>
    ),
  },
];

/** Requests as a table. */
export function RequestTable({
  requests,
}: {
  readonly requests: readonly KeyRequest[];
}): ReactNode {
  return (
    <div className="request-log">
      <DataTable
        label={text.requests.label}
        columns={COLUMNS}
        items={requests}
        idOf={({ id }) => id}
        isLines
      />
    </div>
  );
}

function Status({ request }: { readonly request: KeyRequest }): ReactNode {
  const { status, errorCode, aborted } = request;
  return (
    <span className="request-outcome">
      <Badge variant="light" color={colorOf(status)} className="request-status">
        {status ?? text.requests.noStatus}
      </Badge>
      {errorCode !== null && <span className="request-error">{errorCode}</span>}
      {aborted && (
        <span className="quiet" title={text.requests.incompleteHint}>
          {text.requests.incomplete}
        </span>
      )}
    </span>
  );
}

/** Shows the name of a key, and its owner if that is another user. */
function Key({ of: { name, lastFour, email } }: { readonly of: KeyRequest['key'] }): ReactNode {
  const { user } = useSession();
  return (
    <>
      {name === null ? (
        <i>{text.requests.deletedKey}</i>
      ) : (
        <>
          {name} <span className="last-four">…{lastFour ?? ''}</span>
        </>
      )}
      {email !== null && email !== user.email && <span className="quiet"> {email}</span>}
    </>
  );
}
