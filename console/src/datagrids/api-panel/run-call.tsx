import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isApiError, messageOf } from '../../api/api-error';
import { send } from '../../api/client';
import { dataPath } from '../../api/data';
import { datagridsText } from '../../text/datagrids-text';
import type { ApiCall } from './api-call';

const PUBLIC_API = '/api/v1/public';
/** Maximum length of a response that is shown, in characters. */
const MAX_LENGTH = 20_000;

interface Result {
  readonly status: string;
  readonly durationMs: number;
  readonly body: string;
}

/** Whether a call only reads, and its response is shown. */
export function mayRun({ method, saves }: ApiCall): boolean {
  return method === 'GET' && saves === undefined;
}

/** Sends a call with the session of the user, and shows the response. */
export function RunCall({ call }: { readonly call: ApiCall }): ReactNode {
  const run = useMutation({ mutationFn: () => responseTo(call) });
  const { data, error } = run;
  return (
    <Stack gap={4}>
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          loading={run.isPending}
          aria-label={datagridsText.api.runOf(call.title)}
          onClick={() => {
            run.mutate();
          }}
        >
          {datagridsText.api.run}
        </Button>
        <Text size="sm" role="status">
          {data && datagridsText.api.result(data.status, data.durationMs.toFixed(0))}
          {error && messageOf(error)}
        </Text>
      </Group>
      {data && (
        <Code
          block
          className="api-response"
          tabIndex={0}
          role="group"
          aria-label={datagridsText.api.responseTo(call.title)}
        >
          {data.body}
        </Code>
      )}
    </Stack>
  );
}

async function responseTo({ url, query }: ApiCall): Promise<Result> {
  const path = new URL(url).pathname.slice(PUBLIC_API.length);
  const startedAtMs = performance.now();
  try {
    const response = await send('GET', dataPath(path), { query });
    const body = await response.text();
    const durationMs = performance.now() - startedAtMs;
    return { status: String(response.status), durationMs, body: shown(body) };
  } catch (error) {
    if (!isApiError(error) || error.status === 0) throw error;
    const durationMs = performance.now() - startedAtMs;
    const status = `${error.status} ${error.code}`;
    return { status, durationMs, body: error.message };
  }
}

/** Returns JSON with line breaks, and the beginning of a long one. */
function shown(body: string): string {
  const printed = JSON.stringify(JSON.parse(body), null, 2);
  return printed.length > MAX_LENGTH ? `${printed.slice(0, MAX_LENGTH)}\n…` : printed;
}
