import { Alert, Button, Group, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../../api/client';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { formatDateAndTime } from '../../common/time';
import { factorsQuery, hasFactor, type Factors, type Passkey } from '../../session/factors-query';
import { canUsePasskeys } from '../../session/passkey';
import { ProofDialog, type Proof } from '../../session/proof-dialog';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { profileText } from '../../text/profile-text';
import { ProfileNav } from '../profile-nav';
import { PasskeyDialog } from './passkey-dialog';
import { PasskeyTable } from './passkey-table';
import { RecoveryCodes } from './recovery-codes';
import { reloadFactorsAndSessions } from './reload';
import { SetUpDialog } from './set-up-dialog';

const t = profileText.secondFactor;

export function SecondFactorPage(): ReactNode {
  const { data, error, refetch } = useQuery(factorsQuery);
  const { lacksSecondFactor } = useSession();
  return (
    <Page title={t.title} above={<ProfileNav />} intro={t.hint}>
      {lacksSecondFactor && (
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

type Task = 'setUp' | 'passkey' | 'codes' | 'remove' | Passkey;

function SecondFactor({ factors }: { factors: Factors }): ReactNode {
  const { totp, passkeys, recoveryCodes } = factors;
  const [task, setTask] = useState<Task>();
  const close = (): void => {
    setTask(undefined);
  };
  const button = (next: Task, label: string): ReactNode => (
    <Button
      variant="default"
      onClick={() => {
        setTask(next);
      }}
    >
      {label}
    </Button>
  );
  const remove = async (path: string, proof: Proof, message: string): Promise<void> => {
    await request('POST', `/factors/${path}/removal`, { body: proof });
    close();
    notifications.show({ message });
    await reloadFactorsAndSessions();
  };
  return (
    <>
      <Text mb="md">{hasFactor(factors) ? t.isOn(recoveryCodes) : t.isOff}</Text>
      <Title order={2} size="h4">
        {t.app}
      </Title>
      <Text my="xs">{totp ? t.appSince(formatDateAndTime(totp.confirmedAt)) : t.noApp}</Text>
      <Group>{totp ? button('remove', t.remove) : button('setUp', t.setUp)}</Group>
      <Title order={2} size="h4" mt="lg">
        {t.passkeys.label}
      </Title>
      <Text my="xs">{canUsePasskeys ? t.passkeys.hint : t.passkeys.unsupported}</Text>
      {passkeys.length > 0 && <PasskeyTable passkeys={passkeys} onRemove={setTask} />}
      <Group mt="xs">{canUsePasskeys && button('passkey', t.passkeys.add)}</Group>
      {hasFactor(factors) && (
        <>
          <Title order={2} size="h4" mt="lg" mb="xs">
            {t.recoveryCodes}
          </Title>
          <Group>{button('codes', t.newCodes)}</Group>
        </>
      )}
      {task === 'setUp' && <SetUpDialog onClose={close} />}
      {task === 'passkey' && <PasskeyDialog onClose={close} />}
      {task === 'codes' && <NewCodesDialog onClose={close} />}
      {task === 'remove' && (
        <ProofDialog
          title={t.removeTitle}
          hint={t.removeHint}
          submitLabel={t.remove}
          isDangerous
          onConfirm={(proof) => remove('totp', proof, t.removed)}
          onClose={close}
        />
      )}
      {typeof task === 'object' && (
        <ProofDialog
          title={t.passkeys.removeTitle(task.name)}
          hint={t.passkeys.removeHint}
          submitLabel={t.passkeys.remove}
          isDangerous
          onConfirm={(proof) => remove(`passkeys/${task.id}`, proof, t.passkeys.removed)}
          onClose={close}
        />
      )}
    </>
  );
}

interface NewCodes {
  readonly recoveryCodes: readonly string[];
}

function NewCodesDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [codes, setCodes] = useState<readonly string[]>();
  const replace = async (proof: Proof): Promise<void> => {
    const options = { body: proof };
    const { data } = await request<NewCodes>('POST', '/factors/recovery-codes', options);
    setCodes(data.recoveryCodes);
    await reloadFactorsAndSessions();
  };
  if (!codes) {
    return (
      <ProofDialog
        title={t.newCodes}
        hint={t.newCodesHint}
        submitLabel={t.createCodes}
        onConfirm={replace}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={t.newCodes} isOpen isFirm onClose={onClose}>
      <RecoveryCodes codes={codes} onClose={onClose} />
    </Dialog>
  );
}
