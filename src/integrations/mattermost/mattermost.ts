import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { enabledByDefault, notEnabled, TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { requestKind } from '../kind/kind.ts';
import { codePoints, OUR_LIMIT } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, jsonOf } from '../send/reply.ts';
import { type SlackDialect, slackPayload } from '../slack/payload.ts';
import { MARKDOWN_LINK } from '../text/button-links.ts';
import { codeBlock, codeSpan, escapeMarkdown, withoutEmphasis } from '../text/markup.ts';

/**
 * https://developers.mattermost.com/integrate/reference/message-attachments: fields are Markdown. A title with a link is
 * plain text.
 */
const DIALECT: SlackDialect = {
  text: escapeMarkdown,
  title: (plain) => plain,
  link: MARKDOWN_LINK,
  quoted: codeBlock,
  tags: (tags) => tags.map(codeSpan).join(' '),
  schedule: (plain) => plain,
  cron: withoutEmphasis,
};

const SERVER = { MATTERMOST_ENABLED: enabledByDefault('Mattermost') } satisfies EnvSettingTable;

export const mattermost = requestKind({
  ...TO_WEBHOOK,
  label: 'Mattermost',
  summary: 'to a channel',
  description: 'Messages in a channel of your Mattermost server, by an incoming webhook.',
  setup: [
    'In Mattermost, open **Integrations** in the product menu, then **Incoming Webhooks**, and choose **Add Incoming Webhook**. If the menu has no such entry, a system admin has to enable incoming webhooks.',
    'Give the webhook a name, pick the channel that alerts go to, and save it.',
    'Copy the address that Mattermost shows. It contains `/hooks/`.',
    'Paste the address. Whoever knows it can post to that channel, so it is kept encrypted.',
  ],
  example: { url: 'https://mattermost.example.org/hooks/xxx-generatedkey-xxx' },
  settings: { url: webhookUrl('The address of an incoming webhook of your Mattermost server.') },
  server: SERVER,
  requires: ['MATTERMOST_ENABLED'],
  /** https://docs.mattermost.com/configure/configuration-settings.html: characters of a message. */
  limits: { 'attachments.*.text': codePoints(16_383), '': OUR_LIMIT },
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  render(event, { url }, { MATTERMOST_ENABLED: isEnabled }) {
    return isEnabled ? [jsonCall(url, slackPayload(event, DIALECT))] : notEnabled('Mattermost');
  },
  /** A server of one's own also answers 404 while it is being set up or moved, so a message is tried again. */
  classify: (reply) => classifyByStatus(reply, jsonOf(reply).message),
});
