import { type Field, refined, text } from '../../lib/fields.ts';
import { requestKind } from '../kind/kind.ts';
import { title, units } from '../kind/limits.ts';
import { phoneField, withoutSpacing } from '../kind/phone-field.ts';
import { serverUrlField } from '../kind/server-address.ts';
import type { Setting } from '../kind/setting.ts';
import { hostOf } from '../kind/url-field.ts';
import { briefText } from '../text/brief-text.ts';
import { classifyTwilio, TWILIO_URL, twilioCall } from './api.ts';

/** A number, the SID of a messaging service, or the name of a sender. */
const senderField: Field<string> = refined(text({ maxLength: 50 }), 'sender', (value) => {
  const sender = /^\s*\+/.test(value) ? withoutSpacing(value) : value.trim();
  return sender === '' ? null : sender;
});

const SETTINGS = {
  account: {
    label: 'Account SID',
    field: text({ maxLength: 100, pattern: /^[A-Za-z0-9_-]+$/ }),
    control: 'text',
  } satisfies Setting<string>,
  token: {
    label: 'Auth token',
    field: text({ maxLength: 200 }),
    control: 'text',
    secret: true,
    sentTo: { setting: 'url' },
  } satisfies Setting<string>,
  from: {
    label: 'Sender',
    help: 'A phone number of the account, or the SID of a messaging service.',
    field: senderField,
    control: 'text',
  } satisfies Setting<string>,
  phone: {
    label: 'Recipient',
    help: 'A phone number with + and country code, such as +1 555 123 4567.',
    field: phoneField,
    control: 'text',
  } satisfies Setting<string>,
  url: {
    label: 'Address of the API',
    help: 'Of another provider with the same API. Leave it as it is for Twilio.',
    field: serverUrlField,
    control: 'url',
    default: TWILIO_URL,
  } satisfies Setting<string>,
};

/** Like an SMS of the operator, but paid by the project. */
export const twilio = requestKind({
  label: 'SMS by your own account',
  category: 'phone',
  summary: 'Twilio and alike',
  description:
    'Text messages by an account of your own at Twilio, or at a provider with the same API. There is no monthly limit.',
  setup: [
    'Sign in to the [Twilio console](https://console.twilio.com/), and copy the **Account SID** and the **Auth Token**.',
    'Buy a number there that can send SMS, or create a messaging service, and enter the number or the SID of the service as the sender.',
    'Enter the phone number of the recipient with + and its country code.',
    'For another provider with the API of Twilio, such as SignalWire, enter the address of its API: what comes before `/2010-04-01/`.',
  ],
  example: {
    account: 'AC00000000000000000000000000000000',
    token: '0123456789abcdef0123456789abcdef',
    from: '+15550001111',
    phone: '+15551234567',
    url: TWILIO_URL,
  },
  settings: SETTINGS,
  server: {},
  target: ({ phone }) => phone,
  wants: () => true,
  suggestedEvents: ['down_timeout', 'down_fail'],
  destination: ({ url }) => hostOf(url),
  takesOwnWords: true,
  /** https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
  limits: { Body: title(units(1_600)) },
  needsBody: false,
  needsStory: true,
  render(event, { phone, from, ...account }) {
    const sender: Record<string, string> = /^MG/.test(from) ? { MessagingServiceSid: from } : { From: from };
    const form = { To: phone, Body: briefText(event), SmartEncoded: 'true', ...sender };
    return [twilioCall(account, 'Messages', form, event)];
  },
  classify: classifyTwilio,
});
