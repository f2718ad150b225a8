/**
 * Exits with 0 if the service in the same container is alive, for container engines that check
 * health by a command. Reads the address from the settings of the service.
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
    // The certificate is for the public host name, and this request uses the address.
    rejectUnauthorized: false,
    timeout: 2_500,
  },
  ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1),
)
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
