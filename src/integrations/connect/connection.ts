import type { EnvSettingTable, EnvValues } from '../../lib/env-setting.ts';
import type { HttpResult } from '../../lib/http-client.ts';
import type { OutboundRequest } from '../kind/outbound-request.ts';
import type { Source } from '../kind/setting.ts';

/** A person's way back from the provider. */
export interface WayBack {
  /** The address to which the provider sends the browser. */
  readonly address: string;
  /** The provider hands it back unchanged. It shows that the way back belongs to the way there. */
  readonly state: string;
}

/** Something at the provider that can become a channel. */
export interface Connectable {
  /** Its name there. */
  readonly name: string;
  /** Its container, such as a board. May be empty. */
  readonly group: string;
  readonly settings: Source;
}

export type ConnectionResult =
  /** One becomes a channel at once. The person chooses one of several, unless each becomes a channel. */
  | {
      readonly kind: 'found';
      readonly connectables: readonly Connectable[];
      readonly becomeAllChannels?: boolean;
    }
  /** The person has to do something more at the provider, and comes back with `kept`. */
  | { readonly kind: 'unfinished'; address(state: string): string; readonly kept: string }
  /** The person does not want to. */
  | { readonly kind: 'cancelled' }
  /** `error` is for the person. Absent: the provider has answered something unexpected. */
  | { readonly kind: 'failed'; readonly error?: string };

/** Sets up a channel at the provider, instead of by typing its settings. */
export interface Connection<Server extends EnvSettingTable = EnvSettingTable> {
  /** The name of the way back below `/integrations/`, as operators have registered it at the provider. */
  readonly path: string;
  /** The operator's settings without which nobody can connect it. */
  readonly requires: readonly (keyof Server & string)[];
  /** The page of the provider that asks the person for their consent. */
  address(back: WayBack, server: EnvValues<Server>): string;
  /** Reads the answer that the person has brought back. `kept` comes from an unfinished result, else null. */
  finish(answer: URLSearchParams, visit: ProviderVisit<Server>): Promise<ConnectionResult>;
}

/** Sends a request to the provider. */
export type AskProvider = (request: OutboundRequest) => Promise<HttpResult>;

/** The context of a person who comes back. */
export interface ProviderVisit<Server extends EnvSettingTable = EnvSettingTable> {
  readonly http: AskProvider;
  readonly server: EnvValues<Server>;
  /** The address to which the provider has sent the browser. */
  readonly backAddress: string;
  readonly kept: string | null;
}
