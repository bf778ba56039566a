import type { InstanceOffer, PrepareSettings } from '../../integrations/registry.ts';
import type { SendCode } from './channel-codes.ts';
import type { ConnectionTools } from './channel-connections.ts';
import type { RenderPreview } from './channel-preview.ts';
import type { SendTest } from './test-message.ts';

/** Functions for endpoints of channels. */
export interface ChannelTools {
  readonly sendTest: SendTest;
  /** Sends the code by which a recipient confirms that messages are wanted. */
  readonly sendCode: SendCode;
  readonly renderPreview: RenderPreview;
  /** Why messages of a kind have no buttons here, or buttons that do less. For people. Null if all of them work. */
  buttonTrouble(kind: string): Promise<string | null>;
  readonly offer: InstanceOffer;
  /** Sends a request to a provider at which somebody sets up a channel. */
  readonly askProvider: ConnectionTools['http'];
  /** The public key to which browsers subscribe that are to be told. */
  pushKey(): Promise<string>;
  /** The preparation of a kind before its first message, when a person saves its settings. */
  readonly prepareSettings: PrepareSettings;
}
