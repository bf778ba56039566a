import type { Outcome } from '../../domain/alert/delivery.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { oneOf, text } from '../../lib/fields.ts';
import { addressField } from '../email/email.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { enabledByDefault, notEnabled } from '../kind/incoming-webhook.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { codePoints, title } from '../kind/limits.ts';
import type { Setting, Source } from '../kind/setting.ts';
import { hostOf, webUrlField } from '../kind/url-field.ts';
import { formCall } from '../send/form-call.ts';
import { classifyByStatus, goneForGood, jsonOf } from '../send/reply.ts';
import { MAX_CONTENT, MAX_TOPIC, zulipContent, zulipTopic } from './message.ts';

const MESSAGE_TYPES = ['stream', 'private'] as const;

const SETTINGS = {
  site: {
    label: 'Address of the server',
    help: 'The line “site” of the bot’s zuliprc file.',
    field: webUrlField,
    control: 'url',
  } satisfies Setting<string>,
  bot_email: {
    label: 'E-mail address of the bot',
    help: 'The line “email” of that file.',
    field: addressField,
    control: 'email',
  } satisfies Setting<string>,
  api_key: {
    label: 'API key of the bot',
    help: 'The line “key” of that file.',
    field: text({ maxLength: 50, pattern: /^[!-~]+$/ }),
    control: 'text',
    secret: true,
    sentTo: { setting: 'site' },
  } satisfies Setting<string>,
  mtype: {
    label: 'Send to',
    field: oneOf(MESSAGE_TYPES, 'Whom messages go to.'),
    control: 'choice',
    default: 'stream',
    choices: [
      { value: 'stream', label: 'A channel' },
      { value: 'private', label: 'A person' },
    ],
  } satisfies Setting<(typeof MESSAGE_TYPES)[number]>,
  to: {
    label: 'Channel or person',
    help: 'The name of a channel, or the e-mail address or user id of a person.',
    field: text({ maxLength: 100, pattern: /\S/ }),
    control: 'text',
  } satisfies Setting<string>,
  topic: {
    label: 'Topic',
    help: 'If it is empty, each check has a topic of its own.',
    field: text({ maxLength: 100 }),
    control: 'text',
    default: '',
  } satisfies Setting<string>,
};

const SERVER = { ZULIP_ENABLED: enabledByDefault('Zulip') } satisfies EnvSettingTable;

/** https://zulip.com/api/rest-error-handling: bots and organizations that are not there any more. */
const GONE = ['INVALID_API_KEY', 'USER_DEACTIVATED', 'REALM_DEACTIVATED', 'UNAUTHORIZED'];

export const zulip = requestKind({
  label: 'Zulip',
  category: 'chat',
  summary: 'to a channel or a person',
  description: 'Messages from a bot of your Zulip organization. Messages about one check share a topic.',
  setup: [
    'In Zulip, open **Personal settings**, then **Bots**, and add a bot of the type **Incoming webhook**.',
    'Download the **zuliprc** of the bot. Its lines `site`, `email` and `key` are the first three settings.',
    'Choose the channel or the person that alerts go to. Subscribe the bot to a private channel first.',
    'Leave the topic empty to give each check a topic of its own, in which its messages follow each other.',
  ],
  example: {
    site: 'https://example.zulipchat.com',
    bot_email: 'tocsin-bot@example.zulipchat.com',
    api_key: 'a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5',
    mtype: 'stream',
    to: 'operations',
    topic: '',
  },
  settings: SETTINGS,
  server: SERVER,
  requires: ['ZULIP_ENABLED'],
  complete: withSite,
  target: ({ mtype, to }) => (mtype === 'stream' ? `Channel ${to}` : to),
  wants: () => true,
  destination: ({ site }) => hostOf(site),
  limits: { topic: title(codePoints(MAX_TOPIC)), content: codePoints(MAX_CONTENT) },
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  render(event, settings, { ZULIP_ENABLED: isEnabled }) {
    if (!isEnabled) return notEnabled('Zulip');
    const { site, bot_email: user, api_key: key, mtype, to, topic } = settings;
    const form = {
      type: mtype,
      to: mtype === 'private' && /^\d+$/.test(to) ? `[${to}]` : to,
      topic: zulipTopic(event, topic),
      content: zulipContent(event),
    };
    const credentials = Buffer.from(`${user}:${key}`).toString('base64');
    const url = `${site.replace(/\/+$/, '')}/api/v1/messages`;
    return [formCall(url, form, { Authorization: `Basic ${credentials}` })];
  },
  classify,
});

/** Without an address, the domain of the bot is the server's. */
function withSite(given: Source): Source {
  const { site, bot_email: user } = given;
  if (site !== undefined || typeof user !== 'string' || !user.includes('@')) return given;
  return { ...given, site: `https://${user.slice(user.lastIndexOf('@') + 1)}` };
}

function classify(reply: Reply): Outcome {
  const { code, msg } = jsonOf(reply);
  const isGone = reply.status === 401 && GONE.some((one) => one === code);
  return isGone ? goneForGood(reply, msg) : classifyByStatus(reply, msg);
}
