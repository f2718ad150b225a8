import { Badge, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../common/copy-button';
import { DataTable, type TableColumn } from '../common/data-table';
import { FactList } from '../common/fact-list';
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
    width: '70%',
    line: 'plain',
    textOf: lineOf,
    cell: ({ method, route }) => (
      <span className="request-line">
        {method} {route === null ? <i>{text.requests.unknownRoute}</i> : pathOf(route)}
      </span>
    ),
  },
  {
    title: columns.key,
    width: '30%',
    isWide: true,
    cell: ({ key }) => <Key of={key} />,
    textOf: keyOf,
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
];

function lineOf({ method, route }: KeyRequest): string {
  return `${method} ${route === null ? text.requests.unknownRoute : pathOf(route)}`;
}

function keyOf({ key: { name, lastFour, isApplication, email } }: KeyRequest): string {
  const hint = isApplication ? text.requests.application : lastFour && `…${lastFour}`;
  return [name ?? text.requests.deletedKey, hint, email].filter(Boolean).join(' ');
}

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
        detailsOf={(request) => <RequestDetails request={request} />}
      />
    </div>
  );
}

/** The request id, and what the line may cut off or a phone leaves out. */
function RequestDetails({ request }: { readonly request: KeyRequest }): ReactNode {
  const { requestId, errorCode, at, durationMs } = request;
  return (
    <FactList
      facts={[
        {
          name: columns.requestId,
          value: (
            <>
              <Code>{requestId}</Code>
              <CopyButton text={requestId} label={text.problem.copyId} size="compact-xs" />
            </>
          ),
        },
        { name: columns.request, value: <Code>{lineOf(request)}</Code> },
        { name: columns.key, value: keyOf(request) },
        ...(errorCode === null ? [] : [{ name: columns.error, value: <Code>{errorCode}</Code> }]),
        { name: columns.time, value: at },
        { name: columns.duration, value: durationText(durationMs) },
      ]}
    />
  );
}

function Status({ request }: { readonly request: KeyRequest }): ReactNode {
  const { status, errorCode, aborted } = request;
  return (
    <span className="request-outcome">
      <Badge variant="light" color={colorOf(status)}>
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
function Key({ of: key }: { readonly of: KeyRequest['key'] }): ReactNode {
  const { name, lastFour, isApplication, email } = key;
  const { user } = useSession();
  return (
    <>
      {name === null ? (
        <i>{text.requests.deletedKey}</i>
      ) : (
        <>
          {name}{' '}
          <span className={isApplication ? 'quiet' : 'last-four'}>
            {isApplication ? text.requests.application : `…${lastFour ?? ''}`}
          </span>
        </>
      )}
      {email !== null && email !== user.email && <span className="quiet"> {email}</span>}
    </>
  );
}
