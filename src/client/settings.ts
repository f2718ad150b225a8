import { WrongUsage } from './failure';

/** Address of the service and the API key to send. */
export interface ClientSettings {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly key: string;
}

/**
 * Reads `DATAGRID_URL`, with or without a path, and `DATAGRID_API_KEY`.
 * @throws WrongUsage if either is missing or invalid.
 */
export function clientSettings(
  env: Readonly<Record<string, string | undefined>> = process.env,
): ClientSettings {
  const { DATAGRID_URL: url = '', DATAGRID_API_KEY: key = '' } = env;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new WrongUsage(
      'Set DATAGRID_URL to where the service is, such as http://localhost:3000.',
    );
  }
  if (key === '') throw new WrongUsage('Set DATAGRID_API_KEY to an API key.');
  return { origin: new URL(url).origin, key };
}
