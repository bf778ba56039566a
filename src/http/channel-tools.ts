import type { InstanceOffer } from '../integrations/registry.ts';
import type { RenderPreview } from '../services/channel-preview.ts';
import type { SendTest } from '../services/test-message.ts';

/** What endpoints of channels need besides the store. */
export interface ChannelTools {
  readonly sendTest: SendTest;
  readonly renderPreview: RenderPreview;
  readonly offer: InstanceOffer;
}
