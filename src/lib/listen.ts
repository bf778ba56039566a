import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Where a server listens. */
export interface ListenAddress {
  /** Null for every address of the machine. */
  readonly host: string | null;
  /** 0 for any free port. */
  readonly port: number;
}

/** A socket at `::` also takes connections by IPv4. */
const EVERY_ADDRESS = '::';
const EVERY_IPV4_ADDRESS = '0.0.0.0';
/** Errors of kernels without IPv6. */
const WITHOUT_IPV6: readonly unknown[] = ['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EPROTONOSUPPORT'];

/** Listens, on every address also where the kernel has no IPv6. Returns where. Throws if it cannot. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  const open = (at: string) => once(server.listen(port, at), 'listening');
  if (host !== null) await open(host);
  else
    await open(EVERY_ADDRESS).catch((error: unknown) => {
      const isWithout = error instanceof Error && 'code' in error && WITHOUT_IPV6.includes(error.code);
      if (!isWithout) throw error;
      return open(EVERY_IPV4_ADDRESS);
    });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address;
}
