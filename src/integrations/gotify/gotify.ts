import type { Outcome } from '../../domain/alert/delivery.ts';
import { integer } from '../../lib/fields.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { keySetting } from '../kind/key-setting.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { bytes, OUR_LIMIT } from '../kind/limits.ts';
import { priorityLabel, priorityOf, prioritySettings } from '../kind/priority.ts';
import { atServer, serverUrlSetting } from '../kind/server-address.ts';
import { hostOf } from '../kind/url-field.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, jsonOf } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { buttonLine, MARKDOWN_LINK } from '../text/button-links.ts';
import { plainTitle } from '../text/listed-facts.ts';
import { markdownMessage } from '../text/markdown-lines.ts';

const OFF = 0;
const MAX_MESSAGE_BYTES = 4096;

/** https://github.com/gotify/android#message-priorities */
const PRIORITIES = [
  { value: null, label: 'As the application says' },
  { value: 9, label: 'High' },
  { value: 5, label: 'Normal' },
  { value: 2, label: 'Low' },
  { value: OFF, label: 'Do not notify' },
];

const SETTINGS = {
  url: serverUrlSetting('The address of your Gotify server.'),
  token: {
    ...keySetting('Token', 'The token of an application, which the page Apps of the server shows.', 50),
    sentTo: { setting: 'url' },
  },
  ...prioritySettings<number | null>(integer({ minimum: OFF, maximum: 10 }), PRIORITIES, {
    down: null,
    up: null,
  }),
};

export const gotify = requestKind({
  label: 'Gotify',
  category: 'phone',
  summary: 'own server',
  description: 'Push messages by a Gotify server of your own.',
  setup: [
    'On your [Gotify](https://gotify.net/) server, open **Apps** and choose **Create application**.',
    'Copy the **token** of the application.',
    'Enter the address of the server, and paste the token. A server in a private network can be reached only if the operator allows that.',
    'Choose a priority for each direction. **Do not notify** leaves out that direction.',
  ],
  example: { url: 'https://gotify.example.org', token: 'A4bPN9mTq7xYzKe', priority_down: 9, priority_up: 5 },
  settings: SETTINGS,
  server: {},
  target: ({ url, priority_down: down, priority_up: up }) =>
    `${hostOf(url)} · down: ${priorityLabel(PRIORITIES, down)}, up: ${priorityLabel(PRIORITIES, up)}`,
  wants: (settings, to) => priorityOf(settings, to) !== OFF,
  destination: ({ url }) => hostOf(url),
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  limits: { message: bytes(MAX_MESSAGE_BYTES), '': OUR_LIMIT },
  needsBody: true,
  needsStory: true,
  render(event, settings) {
    const priority = priorityOf(settings, event.to);
    const url = `${atServer(settings.url, 'message')}?token=${encodeURIComponent(settings.token)}`;
    return [jsonCall(url, { ...messageOf(event), ...(priority !== null && { priority }) })];
  },
  classify,
});

/** https://gotify.net/docs/msgextras */
function messageOf(event: AlertEvent): object {
  const facts = alertFacts(event);
  const { link } = facts;
  return {
    title: plainTitle(facts),
    message: markdownMessage(event, MAX_MESSAGE_BYTES, buttonLine(event, MARKDOWN_LINK)),
    extras: {
      'client::display': { contentType: 'text/markdown' },
      ...(link !== null && { 'client::notification': { click: { url: link } } }),
    },
  };
}

/** https://gotify.net/api-docs#/message/createMessage */
function classify(reply: Reply): Outcome {
  return classifyByStatus(reply, jsonOf(reply).errorDescription);
}
