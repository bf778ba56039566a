import { MAX_USER_AGENT } from '../../domain/people/session.ts';
import { clientNetwork } from '../../lib/ip-address.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';

/** Where a request of a browser comes from. */
export interface Client {
  /** The address of the client, as far as trusted proxies tell it. */
  readonly address: string;
  readonly userAgent: string;
  /** The token of the device, which a sign-in leaves in the browser. */
  readonly device: string | null;
}

/** The network by which attempts are counted. */
export function networkOf({ address }: Client): string {
  return clientNetwork(address);
}

/** The client as a session stores it. */
export function seenFrom({ address, userAgent }: Client): { remoteAddr: string; userAgent: string } {
  return { remoteAddr: address, userAgent: firstCharacters(userAgent, MAX_USER_AGENT) };
}
