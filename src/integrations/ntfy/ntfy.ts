import type { Outcome } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import { integer, text } from '../../lib/fields.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { keyField } from '../kind/key-setting.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { priorityLabel, priorityOf, prioritySettings } from '../kind/priority.ts';
import { serverUrlSetting } from '../kind/server-address.ts';
import type { Setting } from '../kind/setting.ts';
import { hostOf } from '../kind/url-field.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, jsonOf } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { plainTitle } from '../text/listed-facts.ts';
import { markdownMessage } from '../text/markdown-lines.ts';

const PUBLIC_SERVER = 'https://ntfy.sh';
const OFF = 0;
const MAX = 5;
/** https://docs.ntfy.sh/publish/#limitations */
const MAX_MESSAGE_BYTES = 4096;
const MAX_ACTIONS = 3;

const PRIORITIES = [
  { value: MAX, label: 'Max' },
  { value: 4, label: 'High' },
  { value: 3, label: 'Default' },
  { value: 2, label: 'Low' },
  { value: 1, label: 'Min' },
  { value: OFF, label: 'Do not notify' },
];

const SETTINGS = {
  url: serverUrlSetting('The public server, or the address of your own.', PUBLIC_SERVER),
  topic: {
    label: 'Topic',
    help: 'The name to which your devices are subscribed. On a public server whoever knows it can read the messages.',
    field: text({ maxLength: 64, pattern: /^[-_A-Za-z0-9]{1,64}$/ }),
    control: 'text',
    secret: true,
    sentTo: { setting: 'url' },
  } satisfies Setting<string>,
  token: {
    label: 'Access token',
    help: 'For topics that are protected.',
    field: keyField(100),
    control: 'text',
    default: null,
    secret: true,
    sentTo: { setting: 'url' },
  } satisfies Setting<string | null>,
  ...prioritySettings(integer({ minimum: OFF, maximum: MAX }), PRIORITIES, { down: MAX, up: 3 }),
};

const SERVER = {
  NTFY_SH_TOKEN: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Access token for messages to `https://ntfy.sh` where an integration has none of its own; take one of an account without reserved topics, since everybody can write to these.',
  },
} satisfies EnvSettingTable;

export const ntfy = requestKind({
  label: 'ntfy',
  category: 'phone',
  summary: 'to a topic',
  description:
    'Push messages to everyone who is subscribed to a topic, at ntfy.sh or at a server of your own.',
  setup: [
    'Install the [ntfy](https://ntfy.sh/) app, or open its page in a browser, and subscribe to a topic. On the public server choose a name that nobody guesses.',
    'Enter the topic. If you run a server of your own, enter its address, too.',
    'If the topic is protected, create an **access token** for a user who may write to it, and paste it.',
    'Choose a priority for each direction. **Do not notify** leaves out that direction.',
  ],
  example: { topic: 'tocsin-4f9d2c71', priority_down: 5, priority_up: 3 },
  settings: SETTINGS,
  server: SERVER,
  target: ({ url, priority_down: down, priority_up: up }) =>
    `${hostOf(url)} · down: ${priorityLabel(PRIORITIES, down)}, up: ${priorityLabel(PRIORITIES, up)}`,
  wants: (settings, to) => priorityOf(settings, to) !== OFF,
  destination: ({ url }) => hostOf(url),
  limit: ({ url, topic }) => ({ key: `ntfy ${url} ${topic}`, messages: 6, perSeconds: 60 }),
  takesOwnWords: true,
  buttons: {
    says: 'They stand below the notification. A tap acts at once, without opening anything. Everybody who reads the topic can use them.',
  },
  /** https://docs.ntfy.sh/publish/#limitations. As JSON a server takes twice as much. */
  limits: { message: bytes(MAX_MESSAGE_BYTES), '': bytes(MAX_MESSAGE_BYTES * 2) },
  needsBody: true,
  needsStory: true,
  render(event, settings, { NTFY_SH_TOKEN: shared }) {
    const { url, topic } = settings;
    const token = settings.token ?? (url === PUBLIC_SERVER ? shared : null);
    const message = { topic, priority: priorityOf(settings, event.to), ...messageOf(event) };
    return [jsonCall(url, message, token === null ? {} : { Authorization: `Bearer ${token}` })];
  },
  classify,
});

const CIRCLE_TAGS = { DOWN: 'red_circle', UP: 'green_circle', NOTED: 'yellow_circle' };

/** https://docs.ntfy.sh/publish/#publish-as-json */
function messageOf(event: AlertEvent): object {
  const facts = alertFacts(event);
  const { state, link } = facts;
  return {
    title: plainTitle(facts),
    message: markdownMessage(event, MAX_MESSAGE_BYTES),
    markdown: true,
    tags: [CIRCLE_TAGS[state]],
    ...(link !== null && { click: link }),
    ...actionsOf(event, link),
  };
}

/** https://docs.ntfy.sh/publish/#action-buttons. A tap on the message opens the page, which needs no button beside others. */
function actionsOf({ buttons, site }: AlertEvent, link: string | null): object {
  const view = link === null ? [] : [{ action: 'view', label: `View on ${site.name}`, url: link }];
  const actions =
    buttons.length === 0
      ? view
      : buttons
          .slice(0, MAX_ACTIONS)
          .map(({ label, url }) => ({ action: 'http', label, url, method: 'POST', clear: true }));
  return actions.length === 0 ? {} : { actions };
}

function classify(reply: Reply): Outcome {
  return classifyByStatus(reply, jsonOf(reply).error);
}
