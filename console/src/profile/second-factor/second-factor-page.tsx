import { Alert, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { formatDateAndTime } from '../../common/time';
import { useSession } from '../../session/session-context';
import { reloadSession } from '../../session/session-query';
import { Page } from '../../shell/page';
import { profileText } from '../../text/profile-text';
import { ProfileNav } from '../profile-nav';
import { ConfirmDialog, type Proof } from './confirm-dialog';
import { factorsQuery, reloadFactors, type Factors } from './factor-query';
import { RecoveryCodes } from './recovery-codes';
import { SetUpDialog } from './set-up-dialog';

const t = profileText.secondFactor;

export function SecondFactorPage(): ReactNode {
  const { data, error, refetch } = useQuery(factorsQuery);
  const { lacksFactor } = useSession();
  return (
    <Page title={t.title} above={<ProfileNav />} intro={t.hint}>
      {lacksFactor && (
        <Alert color="yellow" mb="md">
          {t.required}
        </Alert>
      )}
      {!data && !error && <Loading />}
      {!data && error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && <SecondFactor factors={data} />}
    </Page>
  );
}

type Task = 'setUp' | 'codes' | 'remove';

function SecondFactor({ factors: { totp, recoveryCodes } }: { factors: Factors }): ReactNode {
  const [task, setTask] = useState<Task>();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = (): void => {
    setTask(undefined);
    setCodes(undefined);
  };
  const button = (next: Task, label: string, isDefault = true): ReactNode => (
    <Button
      variant={isDefault ? 'default' : 'filled'}
      onClick={() => {
        setTask(next);
      }}
    >
      {label}
    </Button>
  );
  const replaceCodes = async (proof: Proof): Promise<void> => {
    const options = { body: proof };
    const { data } = await request<{ recoveryCodes: readonly string[] }>(
      'POST',
      '/factors/recovery-codes',
      options,
    );
    setCodes(data.recoveryCodes);
    await reloadFactors();
  };
  const remove = async (proof: Proof): Promise<void> => {
    await request('POST', '/factors/totp/removal', { body: proof });
    close();
    notifications.show({ message: t.removed });
    await Promise.all([reloadFactors(), reloadSession()]);
  };
  return (
    <>
      <Text mb="md">
        {totp ? t.isOn(formatDateAndTime(totp.confirmedAt), recoveryCodes) : t.isOff}
      </Text>
      <Group>
        {totp ? (
          <>
            {button('codes', t.newCodes)}
            {button('remove', t.remove)}
          </>
        ) : (
          button('setUp', t.setUp, false)
        )}
      </Group>
      {task === 'setUp' && <SetUpDialog onClose={close} />}
      {task === 'codes' && !codes && (
        <ConfirmDialog
          title={t.newCodes}
          hint={t.newCodesHint}
          submitLabel={t.createCodes}
          onConfirm={replaceCodes}
          onClose={close}
        />
      )}
      {codes && (
        <Dialog title={t.newCodes} isOpen isFirm onClose={close}>
          <RecoveryCodes codes={codes} onClose={close} />
        </Dialog>
      )}
      {task === 'remove' && (
        <ConfirmDialog
          title={t.removeTitle}
          hint={t.removeHint}
          submitLabel={t.remove}
          isDangerous
          onConfirm={remove}
          onClose={close}
        />
      )}
    </>
  );
}
