import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const DESTINATIONS = join(__dirname, '../../dist/src/destinations');
const TIMEOUT_MS = 60_000;

/** Runs a script with the built modules. jest imports CommonJS modules in another way than Node does. */
async function runBuilt(script: string): Promise<string> {
  const run = promisify(execFile)(
    process.execPath,
    [
      '-e',
      `const load = (name) => require(${JSON.stringify(DESTINATIONS)} + '/' + name); ${script}`,
    ],
    { env: { PATH: process.env['PATH'] ?? '' }, timeout: TIMEOUT_MS },
  );
  return (await run).stdout;
}

describe('the library of a destination, as the built service loads it,', () => {
  it.each([
    [
      'writes and reads manifests of Iceberg',
      `const { MANIFEST_LIST } = load('iceberg/iceberg-manifest.js');
       MANIFEST_LIST.print([], {}).then((file) => MANIFEST_LIST.read(file, { records: 1, bytes: 1e6 }))
         .then((records) => console.log(JSON.stringify(records)));`,
      '[]',
    ],
    [
      'opens connections of Snowflake',
      `const { createConnection } = load('snowflake/snowflake-driver.js');
       const { readSnowflakeSettings } = load('snowflake/snowflake-settings.js');
       const settings = readSnowflakeSettings({
         account: 'org-one', user: 'u', warehouse: 'w', database: 'd', authentication: 'password',
       });
       createConnection(settings, 'secret', {})
         .then((connection) => console.log(typeof connection.execute));`,
      'function',
    ],
    [
      'opens files of DuckDB',
      `const { loadDriver } = load('duckdb/duckdb-driver.js');
       loadDriver().then(({ DuckDBInstance }) => console.log(typeof DuckDBInstance.create));`,
      'function',
    ],
    [
      'signs requests of S3',
      `const { S3Client } = load('files/s3-client.js');
       const { AddressPolicy } = load('../platform/outbound/address-policy.js');
       const access = {
         bucket: 'lake', region: 'r', endpoint: 'http://127.0.0.1:1', accessKeyId: 'k',
         secretAccessKey: 's', caCertificate: null, policy: new AddressPolicy([], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
         resolve: () => undefined, settingNames: { endpoint: 'endpoint', region: 'region' },
       };
       new S3Client(access).read('a', 1).catch((error) => console.log(error.message));`,
      'The address is private, reserved or local. The service connects to it only if the operator allows it in CONNECTION_ALLOWED_PRIVATE_RANGES.',
    ],
  ])(
    '%s',
    async (_, script, printed) => {
      expect((await runBuilt(script)).trim()).toBe(printed);
    },
    TIMEOUT_MS,
  );
});
