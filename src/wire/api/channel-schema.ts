import { component, object, text, uuid } from '../openapi/schema.ts';
import type { ChannelJson } from './channel-output.ts';

export const CHANNEL_SCHEMA = component(
  'Integration',
  object<ChannelJson>({
    id: uuid('What `channels` of a check lists.'),
    name: text('What its owner calls it; may be empty.'),
    kind: text('How it notifies: `email`, `webhook`, …'),
  }),
);
