import type { Outcome } from '../../domain/alert/delivery.ts';
import { text } from '../../lib/fields.ts';
import { keySetting } from '../kind/key-setting.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { atServer, serverUrlSetting } from '../kind/server-address.ts';
import type { Setting } from '../kind/setting.ts';
import { hostOf } from '../kind/url-field.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, jsonOf } from '../send/reply.ts';
import { MAX_NOTIFICATION_BYTES, notificationOf } from './notification.ts';

const SETTINGS = {
  url: serverUrlSetting('The address of your Home Assistant.'),
  token: {
    ...keySetting('Access token', 'A long-lived access token, which the page of your profile creates.', 500),
    sentTo: { setting: 'url' },
  },
  action: {
    label: 'Action',
    help: 'The action that shows the message, such as notify.mobile_app_your_phone.',
    field: text({ maxLength: 100, pattern: /^[a-z0-9_]+\.[a-z0-9_]+$/ }),
    control: 'text',
    default: 'persistent_notification.create',
  } satisfies Setting<string>,
};

export const homeAssistant = requestKind({
  label: 'Home Assistant',
  category: 'automation',
  summary: 'shows a notification',
  description:
    'A notification in Home Assistant, or in its app on your devices. Its automations can react to it.',
  setup: [
    'In Home Assistant, open your profile, **Security**, **Long-lived access tokens**, and choose **Create token**.',
    'Paste the token, and enter the address of your Home Assistant. A server in a private network can be reached only if the operator allows that.',
    'Leave the action as it is for a notification on the pages of Home Assistant. For one on a phone enter the action of its app, such as `notify.mobile_app_your_phone`.',
  ],
  example: {
    url: 'https://home.example.org:8123',
    token: 'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJ0b2NzaW4ifQ.4f9d2c71aa',
    action: 'notify.mobile_app_phone',
  },
  settings: SETTINGS,
  server: {},
  target: ({ url, action }) => `${action} at ${hostOf(url)}`,
  wants: () => true,
  destination: ({ url }) => hostOf(url),
  takesOwnWords: true,
  buttons: {
    says: 'The app shows them below the notification, and each opens a page with one button. Elsewhere they are links.',
  },
  limits: { '': bytes(MAX_NOTIFICATION_BYTES) },
  needsBody: true,
  needsStory: true,
  render(event, { url, token, action }) {
    const path = `api/services/${action.replace('.', '/')}`;
    return [
      jsonCall(atServer(url, path), notificationOf(event, action), { Authorization: `Bearer ${token}` }),
    ];
  },
  classify,
});

/** https://developers.home-assistant.io/docs/api/rest/ */
function classify(reply: Reply): Outcome {
  return classifyByStatus(reply, jsonOf(reply).message);
}
