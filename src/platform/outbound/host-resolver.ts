import { type LookupAddress, Resolver as DnsResolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

const HOSTS_FILE = '/etc/hosts';
/** Time that a name server has for the first of two requests. The second one has twice the time. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

export interface HostResolverOptions {
  /** Name servers: addresses, which may have ports. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Default: TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

/** Resolves a host name to all of its addresses. */
export type Resolver = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a resolver that asks name servers from the event loop. `dns.lookup` would occupy one of
 * the four threads of the process for as long as a name server is silent. Users choose the names and
 * with them the name servers, and compression and password hashes need the same threads. Names are
 * looked up as they are, without search domains. The hosts file comes first.
 */
export function hostResolver({ servers, timeoutMs }: HostResolverOptions = {}): Resolver {
  const hosts = readHosts();
  return (hostname, callback) => {
    const known = hosts.get(hostname.toLowerCase());
    if (known) {
      callback(null, known);
      return;
    }
    // Reads the system's configuration anew.
    const dns = new DnsResolver({ timeout: timeoutMs ?? TIMEOUT_MS, tries: TRIES });
    if (servers) dns.setServers(servers);
    const found: LookupAddress[] = [];
    let waiting = 2;
    let failure: NodeJS.ErrnoException | null = null;
    const add =
      (family: 4 | 6) =>
      (error: NodeJS.ErrnoException | null, addresses: string[]): void => {
        if (error) failure = error;
        else for (const address of addresses) found.push({ address, family });
        waiting -= 1;
        if (waiting > 0) return;
        found.sort((one, other) => one.family - other.family);
        callback(found.length > 0 ? null : failure, found);
      };
    dns.resolve4(hostname, add(4));
    dns.resolve6(hostname, add(6));
  };
}

/** Returns the addresses of each name in the hosts file. */
function readHosts(): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of hostsFile().split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}

function hostsFile(): string {
  try {
    return readFileSync(HOSTS_FILE, 'utf8');
  } catch {
    return '';
  }
}
