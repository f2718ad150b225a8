/**
 * Ends with 0 where the service beside it is alive, for container engines that ask by a command.
 * Reads the settings that say where it listens.
 */
import http from 'node:http';
import https from 'node:https';
import process from 'node:process';

const { HOST, PORT, TLS_CERT_FILE } = process.env;
const ask = TLS_CERT_FILE ? https.get : http.get;

ask(
  {
    host: HOST || '127.0.0.1',
    port: PORT || 3000,
    path: '/health/live',
    // Its certificate is for the name that clients know; this asks by address.
    rejectUnauthorized: false,
    timeout: 2_500,
  },
  ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1),
)
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
