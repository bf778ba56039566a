import type { Outcome } from '../../domain/alert/delivery.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { enabledByDefault, notEnabled, TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { units } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, goneForGood, jsonOf, notTaken, textOf } from '../send/reply.ts';
import { SLACK_APP, slackConnection } from './connection.ts';
import { slackPayload } from './payload.ts';

const SERVER = { SLACK_ENABLED: enabledByDefault('Slack'), ...SLACK_APP } satisfies EnvSettingTable;

/** https://docs.slack.dev/messaging/unfurling-links-in-messages: pages for which people sign in have nothing to show. */
const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false };

export const slack = requestKind({
  ...TO_WEBHOOK,
  label: 'Slack',
  summary: 'to a channel',
  description: 'Messages in a channel of your Slack workspace, by an incoming webhook.',
  setup: [
    'In Slack, create an app for your workspace at [api.slack.com/apps](https://api.slack.com/apps), and open its page **Incoming Webhooks**.',
    'Switch incoming webhooks on, choose **Add New Webhook to Workspace**, and pick the channel that alerts go to.',
    'Copy the **Webhook URL**. It begins with `https://hooks.slack.com/services/`.',
    'Paste the address. Whoever knows it can post to that channel, so it is kept encrypted.',
  ],
  example: { url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
  settings: { url: webhookUrl('The address of an incoming webhook of your Slack workspace.') },
  server: SERVER,
  requires: ['SLACK_ENABLED'],
  connection: slackConnection,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  /** https://docs.slack.dev/messaging/formatting-message-text: characters of a message. */
  limits: { attachments: units(40_000) },
  needsBody: true,
  needsStory: true,
  render(event, { url }, { SLACK_ENABLED: isEnabled }) {
    return isEnabled ? [jsonCall(url, { ...slackPayload(event), ...NO_PREVIEWS })] : notEnabled('Slack');
  },
  classify,
  acceptedWith: () => 'ok',
});

/** Slack removes the address of a webhook when its app or channel is removed. */
function classify(reply: Reply): Outcome {
  const isGone = reply.status === 404 || (reply.status === 400 && textOf(reply) === 'invalid_token');
  if (isGone) return goneForGood(reply);
  const { ok, error } = jsonOf(reply);
  return ok === false ? notTaken(reply, error) : classifyByStatus(reply);
}
