import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Blocks whose addresses no public server has. From the IANA registries "IPv4 Special-Purpose Address Space" and
 * "IPv4 Multicast Address Space". Two addresses of 192.0.0.0/24 can be reached (anycast of PCP and TURN), but serve no
 * HTTP.
 */
const REFUSED_IPV4 = [
  '0.0.0.0/8', // "this network", RFC 791; Linux connects 0.0.0.0 to itself
  '10.0.0.0/8', // private, RFC 1918
  '100.64.0.0/10', // shared by carrier-grade NAT, RFC 6598
  '127.0.0.0/8', // loopback, RFC 1122
  '169.254.0.0/16', // link-local, RFC 3927; clouds serve credentials at 169.254.169.254
  '172.16.0.0/12', // private, RFC 1918
  '192.0.0.0/24', // protocol assignments, RFC 6890
  '192.0.2.0/24', // documentation, RFC 5737
  '192.88.99.0/24', // 6to4 relay anycast, withdrawn by RFC 7526
  '192.168.0.0/16', // private, RFC 1918
  '198.18.0.0/15', // benchmarking, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/4', // multicast, RFC 5771
  '240.0.0.0/4', // reserved, RFC 1112, and the broadcast address, RFC 919
];

/**
 * The only block that IANA allocates global unicast from, RFC 4291 and "IPv6 Address Space". Outside it are the
 * unspecified address and loopback, IPv4-compatible addresses, unique local (fc00::/7), link-local (fe80::/10),
 * site-local (fec0::/10), multicast (ff00::/8), local NAT64 (64:ff9b:1::/48) and segment routing (5f00::/16).
 */
const GLOBAL_IPV6 = '2000::/3';

/** Parts of that block that are not global unicast, from the registry "IPv6 Special-Purpose Address Space". */
const REFUSED_IPV6 = [
  '2001::/23', // protocol assignments, RFC 2928: benchmarking, ORCHID, …; Teredo is decoded before
  '2001:db8::/32', // documentation, RFC 3849
  '3fff::/20', // documentation, RFC 9637
];

const refusedIPv4 = networks(REFUSED_IPV4, 'ipv4');
const globalIPv6 = networks([GLOBAL_IPV6], 'ipv6');
const refusedIPv6 = networks(REFUSED_IPV6, 'ipv6');

/**
 * Whether an address belongs to the public Internet. An IPv6 address that contains an IPv4 address is judged by that
 * address. Other text, and an address with a zone, do not belong to it.
 */
export function isGlobalUnicast(address: string): boolean {
  if (isIPv4(address)) return !refusedIPv4.check(address, 'ipv4');
  // A zone (`fe80::1%eth0`, RFC 4007) names an interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  const embedded = embeddedIPv4(groupsOf(address));
  if (embedded.length > 0) return embedded.every(isGlobalUnicast);
  return globalIPv6.check(address, 'ipv6') && !refusedIPv6.check(address, 'ipv6');
}

/** The IPv4 addresses that packets to an IPv6 address may end up at. */
function embeddedIPv4(groups: readonly number[]): string[] {
  const [a = 0, b = 0, c = 0, d = 0, , f = 0, g = 0, h = 0] = groups;
  const middleIsZero = groups.slice(2, 5).every((group) => group === 0);
  // IPv4-mapped ::ffff:0:0/96, RFC 4291 section 2.5.5.2.
  if (a === 0 && b === 0 && middleIsZero && f === 0xffff) return [dotted(g, h)];
  // NAT64 64:ff9b::/96, RFC 6052 section 2.1.
  if (a === 0x64 && b === 0xff9b && middleIsZero && f === 0) return [dotted(g, h)];
  // 6to4 2002::/16, RFC 3056 section 2.
  if (a === 0x2002) return [dotted(b, c)];
  // Teredo 2001::/32, RFC 4380 section 4: the server's address, and the client's with all bits inverted.
  if (a === 0x2001 && b === 0) return [dotted(c, d), dotted(g ^ 0xffff, h ^ 0xffff)];
  return [];
}

/** The eight groups of an IPv6 address in any spelling. */
function groupsOf(address: string): number[] {
  // The host of a URL is always written in hexadecimal, RFC 5952 style, without a dotted tail.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = groupsIn(head);
  const after = groupsIn(tail ?? '');
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsIn(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}

function networks(list: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const blocks = new BlockList();
  for (const network of list) {
    const [address = '', prefix] = network.split('/');
    blocks.addSubnet(address, Number(prefix), family);
  }
  return blocks;
}
