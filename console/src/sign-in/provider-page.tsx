import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { isApiError } from '../api/api-error';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { Page } from '../shell/page';
import { signInText } from '../text/sign-in-text';
import { ProviderButton } from './provider-button';
import { providerQuery } from './provider-query';

/** Signs in by a provider. Its address is for bookmarks, and for pages of a company. */
export default function ProviderPage(): ReactNode {
  const { providerId = '' } = useParams();
  const { data, error, refetch } = useQuery(providerQuery(providerId));
  const isMissing = isApiError(error, 'not_found');
  return (
    <Page title={signInText.title} isNarrow>
      {!data && !error && <Loading />}
      {isMissing && <Text>{signInText.provider.missing}</Text>}
      {!data && error && !isMissing && <Problem error={error} onRetry={() => void refetch()} />}
      {data && <ProviderButton provider={data} />}
      <Button component={Link} to="/sign-in" variant="subtle" fullWidth mt="md">
        {signInText.provider.otherWay}
      </Button>
    </Page>
  );
}
