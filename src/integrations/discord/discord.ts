import type { Outcome } from '../../domain/alert/delivery.ts';
import { longestFitting } from '../../lib/text/text-size.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { type Limits, title, units } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, goneForGood, jsonOf } from '../send/reply.ts';
import { type SlackDialect, slackPayload } from '../slack/payload.ts';
import { MARKDOWN_LINK } from '../text/button-links.ts';
import { codeSpan, escapeMarkdown, shortFencedBlock } from '../text/markup.ts';
import { DISCORD_APP, discordConnection } from './connection.ts';

/** Characters in the value of a field. */
const MAX_VALUE = 1024;

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const LIMITS: Limits = {
  username: units(80),
  'attachments.*.title': title(units(256)),
  'attachments.*.text': units(4096),
  'attachments.*.fields.*.value': units(MAX_VALUE),
  attachments: units(6000),
};

const DIALECT: SlackDialect = {
  text: (plain) => escapedWithin(plain, MAX_VALUE),
  title: escapeMarkdown,
  sentence: escapeMarkdown,
  link: MARKDOWN_LINK,
  quoted: (plain) =>
    shortFencedBlock(longestFitting(plain, (start) => shortFencedBlock(start).length <= MAX_VALUE)),
  tags: (tags) => longestList(tags.map(codeSpan), MAX_VALUE),
  schedule: (plain) => plain.replaceAll('*', '\\*'),
};

function escapedWithin(plain: string, most: number): string {
  return escapeMarkdown(longestFitting(plain, (start) => escapeMarkdown(start).length <= most));
}

/** The longest list of first items that fits, with spaces between them. */
function longestList(items: readonly string[], most: number): string {
  const lists = items.map((_, index) => items.slice(0, items.length - index).join(' '));
  return lists.find((list) => list.length <= most) ?? '';
}

export const discord = requestKind({
  ...TO_WEBHOOK,
  label: 'Discord',
  summary: 'to a channel',
  description: 'Messages in a channel of your Discord server, by a webhook.',
  setup: [
    'In Discord, open the settings of the channel that alerts go to, then **Integrations**, then **Webhooks**.',
    'Choose **New Webhook**, give it a name, and choose **Copy Webhook URL**. It begins with `https://discord.com/api/webhooks/`.',
    'Paste the address. Whoever knows it can post to that channel, so it is kept encrypted.',
    'To post in a thread of the channel, add `?thread_id=` and the id of the thread to the address.',
  ],
  example: { url: 'https://discord.com/api/webhooks/123456789012345678/a-token' },
  settings: { url: webhookUrl('The address of a webhook of the channel.') },
  server: DISCORD_APP,
  connection: discordConnection,
  /** https://docs.discord.com/developers/topics/rate-limits: the limit of webhooks in practice. */
  limit: ({ url }) => ({ key: `discord ${url}`, messages: 5, perSeconds: 2 }),
  limits: LIMITS,
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  render: (event, { url }) => [jsonCall(slackAddress(url), slackPayload(event, DIALECT))],
  classify,
});

/**
 * https://docs.discord.com/developers/resources/webhook#execute-slackcompatible-webhook. Addresses that Discord gave out
 * years ago have its former host.
 */
function slackAddress(given: string): string {
  const url = given.replace(/^https:\/\/discordapp\.com\//, 'https://discord.com/');
  const [, address = url, query = ''] = /^([^?#]*)(.*)$/.exec(url) ?? [];
  const path = address.replace(/\/+$/, '');
  return `${path.endsWith('/slack') ? path : `${path}/slack`}${query}`;
}

/** Discord answers 404 once a webhook or its channel has been deleted. */
function classify(reply: Reply): Outcome {
  const { message } = jsonOf(reply);
  return reply.status === 404 ? goneForGood(reply, message) : classifyByStatus(reply, message);
}
