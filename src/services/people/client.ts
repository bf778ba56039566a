import { MAX_USER_AGENT } from '../../domain/people/session.ts';
import { clientNetworks } from '../../lib/ip-address.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';

/** The origin of a browser's request. */
export interface Client {
  /** The address of the client, as far as trusted proxies tell it. */
  readonly address: string;
  readonly userAgent: string;
  /** The token of the device, which a sign-in leaves in the browser. */
  readonly device: string | null;
}

/** The largest network of the client that is counted. Networks take turns where one that sends much could delay others. */
export function networkOf({ address }: Client): string {
  const [smallest, ...larger] = clientNetworks(address);
  return (larger.at(-1) ?? smallest).name;
}

/** The client as a session stores it. */
export function seenFrom({ address, userAgent }: Client): { remoteAddr: string; userAgent: string } {
  return { remoteAddr: address, userAgent: firstCharacters(userAgent, MAX_USER_AGENT) };
}
