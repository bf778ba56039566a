import type { IncomingMessage } from 'node:http';
import { addressBehindProxies, createAddressMatcher, peerAddress } from '../lib/ip-address.ts';

/** Returns a function that tells the address of a client. Behind trusted proxies it is the forwarded one. */
export function clientAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createAddressMatcher(trustedProxies);
  return ({ socket: { remoteAddress = '' }, headers }) => {
    const forwardedFor = headers['x-forwarded-for'];
    if (forwardedFor === undefined) return peerAddress(remoteAddress);
    return peerAddress(addressBehindProxies(remoteAddress, String(forwardedFor), isTrusted));
  };
}
