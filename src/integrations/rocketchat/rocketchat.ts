import type { Outcome } from '../../domain/alert/delivery.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { enabledByDefault, notEnabled, TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { OUR_LIMIT, units } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, jsonOf, notTaken } from '../send/reply.ts';
import { rocketChatPayload } from './payload.ts';

const SERVER = { ROCKETCHAT_ENABLED: enabledByDefault('Rocket.Chat') } satisfies EnvSettingTable;

export const rocketchat = requestKind({
  ...TO_WEBHOOK,
  label: 'Rocket.Chat',
  summary: 'to a channel',
  description: 'Messages in a channel of your Rocket.Chat workspace, by an incoming webhook.',
  setup: [
    'In Rocket.Chat, open **Manage**, **Workspace**, **Integrations**, choose **New**, and pick the tab **Incoming**.',
    'Enable the integration, enter the channel that alerts go to and the user who posts them, and save.',
    'Open the integration again, and copy its **Webhook URL**. It contains `/hooks/`.',
    'Paste the address. Whoever knows it can post to that channel, so it is kept encrypted.',
  ],
  example: { url: 'https://chat.example.org/hooks/64f0c0ffee/a-token' },
  settings: { url: webhookUrl('The address of an incoming webhook of your Rocket.Chat workspace.') },
  server: SERVER,
  requires: ['ROCKETCHAT_ENABLED'],
  /** https://docs.rocket.chat/docs/message: Message_MaxAllowedSize, unless the workspace has another. */
  limits: { text: units(5_000), '': OUR_LIMIT },
  needsBody: false,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  render(event, { url }, { ROCKETCHAT_ENABLED: isEnabled }) {
    return isEnabled ? [jsonCall(url, rocketChatPayload(event))] : notEnabled('Rocket.Chat');
  },
  classify,
  acceptedWith: () => '{"success":true}',
});

/** A script of the integration can refuse a message with any status. A workspace that is moved answers 404. */
function classify(reply: Reply): Outcome {
  const { success, error } = jsonOf(reply);
  return success === false ? notTaken(reply, error) : classifyByStatus(reply, error);
}
