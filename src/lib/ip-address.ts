import { BlockList, isIP, isIPv6 } from 'node:net';
import { RecentlyUsed } from './recently-used.ts';

/** Addresses of which a matcher remembers whether they match: the same ones come again and again. */
const MAX_KNOWN_ADDRESSES = 1_000;
/** The longest address with a zone has some 50 characters. Proxies may forward longer texts. */
const MAX_ADDRESS_LENGTH = 64;

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

/** The usual spelling of an address, since IPv6 has many. The zone is removed: it has no meaning on other machines. */
export function canonicalAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const [withoutZone = ''] = address.split('%');
  const short = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short);
  return mapped === null ? short : `::ffff:${dotted(mapped[1])}.${dotted(mapped[2])}`;
}

/** Two bytes, written as in IPv4. */
function dotted(hex = ''): string {
  const value = Number.parseInt(hex, 16);
  return `${value >> 8}.${value & 0xff}`;
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
  const known = new RecentlyUsed<string, boolean>(MAX_KNOWN_ADDRESSES);
  const matches = (address: string): boolean => {
    // A dual-stack socket shows IPv4 peers as `::ffff:1.2.3.4`.
    const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
  return (address) =>
    address.length > MAX_ADDRESS_LENGTH ? matches(address) : known.get(address, () => matches(address));
}

/**
 * The address of the client behind trusted proxies: each proxy adds the address of its client to the end of
 * `X-Forwarded-For`. What stands before an address that is not trusted may be invented.
 */
export function addressBehindProxies(
  peer: string,
  forwardedFor: string,
  isTrusted: (address: string) => boolean,
): string {
  let address = peer;
  for (const entry of forwardedFor.split(',').reverse()) {
    if (!isTrusted(address)) return address;
    address = entry.trim();
  }
  return address;
}

/**
 * The address by which a client is counted: its IPv4 address, or the /64 network of its IPv6 address. A provider gives each
 * customer at least a /64 network, so counting its single addresses would limit nobody.
 */
export function clientNetwork(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = canonicalAddress(plain).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
