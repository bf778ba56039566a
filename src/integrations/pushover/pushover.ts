import type { Outcome } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, line, wholeNumber } from '../../lib/env-setting.ts';
import { integer, text } from '../../lib/fields.ts';
import { isReachedFromOutside } from '../../wire/site.ts';
import { type Call, type Reply, requestKind } from '../kind/kind.ts';
import { priorityLabel, priorityOf, prioritySettings } from '../kind/priority.ts';
import type { Setting } from '../kind/setting.ts';
import { formCall } from '../send/form-call.ts';
import { classifyByStatus, jsonOf, statusError } from '../send/reply.ts';
import { buttonAddress } from '../text/button-links.ts';
import { PUSHOVER_SUBSCRIPTION, pushoverConnection } from './connection.ts';
import { LIMITS, pushoverMessage } from './message.ts';

const OFF = -3;
const LOWEST = -2;
const EMERGENCY = 2;
/** https://pushover.net/api#priority: Pushover rejects messages with a larger value. */
const MAX_EXPIRATION_SECONDS = 10_800;

const PRIORITIES = [
  { value: OFF, label: 'Do not notify' },
  { value: LOWEST, label: 'Lowest' },
  { value: -1, label: 'Low' },
  { value: 0, label: 'Normal' },
  { value: 1, label: 'High' },
  { value: EMERGENCY, label: 'Emergency: repeated until somebody acknowledges it' },
];

const SETTINGS = {
  user_key: {
    label: 'User key',
    help: 'The key of the user or group that your Pushover page shows.',
    field: text({ maxLength: 50, pattern: /^[A-Za-z0-9]+$/ }),
    control: 'text',
    secret: true,
  } satisfies Setting<string>,
  ...prioritySettings(integer({ minimum: OFF, maximum: EMERGENCY }), PRIORITIES, { down: 0, up: 0 }),
};

const SERVER = {
  PUSHOVER_API_TOKEN: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Token of the Pushover application that sends messages; if unset, none are sent.',
  },
  PUSHOVER_EMERGENCY_RETRY_DELAY: {
    kind: wholeNumber(30, 86_400),
    default: '300',
    doc: 'Seconds after which Pushover repeats an emergency that nobody has acknowledged.',
  },
  PUSHOVER_EMERGENCY_EXPIRATION: {
    kind: wholeNumber(30, 86_400),
    default: '10800',
    doc: 'Seconds after which Pushover stops repeating an emergency; it takes three hours at the most.',
  },
  ...PUSHOVER_SUBSCRIPTION,
} satisfies EnvSettingTable;

/**
 * https://pushover.net/api/receipts: Pushover calls the address when somebody acknowledges an emergency. It refuses one
 * that it cannot reach.
 */
export const pushover = requestKind({
  label: 'Pushover',
  category: 'phone',
  summary: 'to devices',
  description: 'Push messages to the devices of a user or a group, with a priority for each direction.',
  setup: [
    'Install the [Pushover](https://pushover.net/) app on your device, and sign in.',
    'Copy the **user key** from your Pushover page. To tell several people, create a group there and copy the key of the group.',
    'Paste the key, and choose a priority for each direction. An **emergency** is repeated until somebody acknowledges it. It ends by itself when the check comes up.',
  ],
  example: { user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', priority_down: 1, priority_up: 0 },
  settings: SETTINGS,
  server: SERVER,
  requires: ['PUSHOVER_API_TOKEN'],
  connection: pushoverConnection,
  target: ({ priority_down: priority }) => `Priority: ${priorityLabel(PRIORITIES, priority)}`,
  wants: (settings, to) => priorityOf(settings, to) !== OFF,
  destination: () => 'api.pushover.net',
  limit: ({ user_key: user }) => ({ key: `pushover ${user}`, messages: 6, perSeconds: 60 }),
  // The alarm is not repeated, and the second message makes no sound.
  endsTest: (settings) =>
    settings.priority_down === EMERGENCY ? { ...settings, priority_up: LOWEST } : null,
  takesOwnWords: true,
  buttons: {
    says: 'Whoever acknowledges an emergency in the app acknowledges the outage. Everything else is a link in the message.',
    unreached:
      'Pushover cannot reach this service by its address: who acknowledges an emergency in the app ends its repetitions alone. Messages have links instead.',
  },
  limits: LIMITS,
  needsBody: false,
  needsStory: true,
  render(event, settings, server) {
    const { PUSHOVER_API_TOKEN: token } = server;
    if (token === null) return { kind: 'refused', error: 'Pushover notifications are not enabled.' };
    const priority = priorityOf(settings, event.to);
    const emergency = {
      retry: String(server.PUSHOVER_EMERGENCY_RETRY_DELAY),
      expire: String(Math.min(server.PUSHOVER_EMERGENCY_EXPIRATION, MAX_EXPIRATION_SECONDS)),
    };
    const callback = priority === EMERGENCY && isReachedFromOutside(event.site.root) ? 'acknowledge' : null;
    const links = event.buttons.filter(({ verb }) => verb !== callback);
    const message = post('messages', {
      token,
      user: settings.user_key,
      ...pushoverMessage({ ...event, buttons: links }),
      priority: String(priority),
      tags: event.check.uniqueKey,
      ...(priority === EMERGENCY && emergency),
      ...(links.length < event.buttons.length && { callback: buttonAddress(event, 'acknowledge') }),
    });
    const rings = event.to === 'up' && settings.priority_down === EMERGENCY;
    return rings ? [cancelOf(event.check.uniqueKey, token), message] : [message];
  },
  classify,
});

/** Ends the repeated alarm from when the check went down. The message that it is up is sent even if this fails. */
function cancelOf(tag: string, token: string): Call {
  return { ...post(`receipts/cancel_by_tag/${tag}`, { token }), isOptional: true };
}

/** https://pushover.net/api */
function post(path: string, form: Record<string, string>): Call {
  return formCall(`https://api.pushover.net/1/${path}.json`, form);
}

function classify(reply: Reply): Outcome {
  if (reply.status === 400 && jsonOf(reply).user === 'invalid') {
    return { kind: 'permanent', error: `${statusError(reply)} (invalid user)` };
  }
  return classifyByStatus(reply);
}
