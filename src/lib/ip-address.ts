import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { RecentlyUsed } from './recently-used.ts';

/** Addresses whose result a matcher remembers: the same ones come again and again. */
const MAX_KNOWN_ADDRESSES = 1_000;
/** The longest address with a zone has some 50 characters. Proxies may forward longer texts. */
const MAX_ADDRESS_LENGTH = 64;
/** Before an IPv4 address in the form of IPv6, as kernels write it. */
const MAPPED = '::ffff:';

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
  return mapped === null ? short : `${MAPPED}${dotted(mapped[1])}.${dotted(mapped[2])}`;
}

/**
 * The address of a peer in its usual spelling. An IPv4 address in the form of IPv6 is the IPv4 address: a socket for both shows
 * IPv4 peers so.
 */
export function peerAddress(address: string): string {
  const asShownByKernels = withoutMapping(address);
  if (asShownByKernels !== null) return asShownByKernels;
  const canonical = canonicalAddress(address);
  return withoutMapping(canonical) ?? canonical;
}

function withoutMapping(address: string): string | null {
  if (!address.startsWith(MAPPED)) return null;
  const mapped = address.slice(MAPPED.length);
  return isIPv4(mapped) ? mapped : null;
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
    const plain = peerAddress(address);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
  return (address) =>
    address.length > MAX_ADDRESS_LENGTH ? matches(address) : known.get(address, () => matches(address));
}

/**
 * The address of the client behind trusted proxies: each proxy adds the address of its client to the end of
 * `X-Forwarded-For`. A client can invent everything before an address that is not trusted.
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

/** A network by which a client is counted, and how many shares of a limit it has. */
export interface ClientNetwork {
  readonly name: string;
  readonly shares: number;
}

/**
 * The networks of an IPv6 address that are counted. Providers give a customer a /64, a /56 or a /48. A customer with a
 * /48 has 65,536 networks of 64 bits, so that a share for each of those would limit nobody. Many people may be in a
 * larger network, so it has more shares.
 */
const IPV6_SHARES: readonly { readonly bits: number; readonly shares: number }[] = [
  { bits: 64, shares: 1 },
  { bits: 56, shares: 2 },
  { bits: 48, shares: 4 },
];

/** The names to count a client by, from the smallest network to the largest: its IPv4 address, or its IPv6 networks. */
export function clientNetworks(address: string): readonly [ClientNetwork, ...ClientNetwork[]] {
  const plain = peerAddress(address);
  if (!isIPv6(plain)) return [{ name: plain, shares: 1 }];
  const groups = ipv6Groups(plain);
  const [smallest = { name: plain, shares: 1 }, ...larger] = IPV6_SHARES.map(({ bits, shares }) => ({
    name: `${firstBits(groups, bits).join(':')}::/${bits}`,
    shares,
  }));
  return [smallest, ...larger];
}

/** The eight numbers of an address in its usual spelling, in hexadecimal. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after];
}

/** The numbers that hold the first bits. The remaining bits are zero. */
function firstBits(groups: readonly string[], bits: number): string[] {
  const kept = groups.slice(0, Math.ceil(bits / 16));
  const rest = bits % 16;
  if (rest === 0) return kept;
  const last = Number.parseInt(kept.pop() ?? '0', 16);
  return [...kept, ((last >> (16 - rest)) << (16 - rest)).toString(16)];
}
