import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * The address in one entry of a forwarding header: blanks trimmed, a port dropped (`1.2.3.4:99`,
 * `[2001:db8::1]:443`), IPv6 in its short form. Null for anything else, such as `unknown`.
 */
export function parseForwardedAddress(entry: string): string | null {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const withoutPort = bracketed ?? /^([^:]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(withoutPort) === 0 ? null : canonicalAddress(withoutPort);
}

/** IPv6 has many spellings of one address; IPv4 has one. */
export function canonicalAddress(address: string): string {
  if (!isIPv6(address) || address.includes('%')) return address;
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address)) return address.toLowerCase();
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Whether an address lies in one of the given addresses and networks. */
export function createAddressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    // A dual-stack socket shows IPv4 peers as `::ffff:1.2.3.4`.
    const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}
