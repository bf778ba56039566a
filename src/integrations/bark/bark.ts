import { type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { oneOf } from '../../lib/fields.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { keySetting } from '../kind/key-setting.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { priorityLabel, priorityOf, prioritySettings } from '../kind/priority.ts';
import { atServer, serverUrlSetting } from '../kind/server-address.ts';
import { hostOf } from '../kind/url-field.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, isTaken, jsonOf, statusError, statusErrorWith } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { plainButtonLines } from '../text/button-links.ts';
import { incidentOf, textBelowTitle } from '../text/incident.ts';
import { plainTitle } from '../text/listed-facts.ts';

/**
 * https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification: 4096, with overhead.
 */
const MAX_PUSH_BYTES = 3_600;

const PUBLIC_SERVER = 'https://api.day.app';

const LEVELS = ['critical', 'timeSensitive', 'active', 'passive', 'off'] as const;

type Level = (typeof LEVELS)[number];

/** https://bark.day.app/#/en-us/tutorial: the levels of iOS. */
const PRIORITIES: { value: Level; label: string }[] = [
  { value: 'critical', label: 'Critical: also when the phone is silent' },
  { value: 'timeSensitive', label: 'Time-sensitive: also in focus' },
  { value: 'active', label: 'Normal' },
  { value: 'passive', label: 'Without a sound' },
  { value: 'off', label: 'Do not notify' },
];

const SETTINGS = {
  device_key: {
    ...keySetting('Device key', 'The key in the address that the app shows.', 100),
    sentTo: { setting: 'url' },
  },
  url: serverUrlSetting('The public server, or the address of your own.', PUBLIC_SERVER),
  ...prioritySettings<Level>(oneOf(LEVELS, 'Level of a notification.'), PRIORITIES, {
    down: 'timeSensitive',
    up: 'active',
  }),
};

export const bark = requestKind({
  label: 'Bark',
  category: 'phone',
  summary: 'to an iPhone',
  description: 'Push messages to an iPhone by the app Bark.',
  setup: [
    'Install [Bark](https://bark.day.app/) on your iPhone, and open it.',
    'Copy the address that it shows, such as `https://api.day.app/your-key/`. The last part is the **device key**.',
    'Paste the device key. If you run a server of your own, enter its address, too.',
    'Choose a level for each direction. **Do not notify** leaves out that direction.',
  ],
  example: { device_key: 'ynJ5Ft4atkMkWeo2PAvFhF', priority_down: 'critical' },
  settings: SETTINGS,
  server: {},
  target: ({ url, priority_down: down }) => `${hostOf(url)} · ${priorityLabel(PRIORITIES, down)}`,
  wants: (settings, to) => priorityOf(settings, to) !== 'off',
  destination: ({ url }) => hostOf(url),
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  limits: { '': { most: MAX_PUSH_BYTES, in: 'bytes of JSON' } },
  needsBody: true,
  needsStory: true,
  render(event, settings) {
    const { url, device_key: key } = settings;
    const push = { device_key: key, ...messageOf(event), level: priorityOf(settings, event.to) };
    return [jsonCall(atServer(url, 'push'), push)];
  },
  classify,
});

/** https://github.com/Finb/bark-server/blob/master/docs/API_V2.md */
function messageOf(event: AlertEvent): object {
  const facts = alertFacts(event);
  const { link } = facts;
  return {
    title: plainTitle(facts),
    body: [textBelowTitle(incidentOf(event)), ...plainButtonLines(event)].join('\n'),
    group: event.site.name,
    ...(link !== null && { url: link }),
  };
}

/**
 * The server repeats its status in the answer. Where it does not know the key, it names the key, which must not be shown; its
 * database may be SQL.
 */
function classify(reply: Reply): Outcome {
  const { code, message } = jsonOf(reply);
  if (reply.status === 400 && /\[.*\] device token|no rows in result set/.test(String(message))) {
    return { kind: 'permanent', error: `${statusError(reply)} (unknown device key)` };
  }
  const isRefused = isTaken(reply) && typeof code === 'number' && code !== 200;
  return isRefused ? tryAgain(statusErrorWith(reply, message)) : classifyByStatus(reply, message);
}
