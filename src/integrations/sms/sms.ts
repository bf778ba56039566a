import { codeText } from '../kind/confirmation.ts';
import { requestKind } from '../kind/kind.ts';
import { title, units } from '../kind/limits.ts';
import { MESSAGE_LIMIT_SERVER } from '../kind/message-limits.ts';
import { phoneSetting } from '../kind/phone-field.ts';
import { briefText } from '../text/brief-text.ts';
import { classifyTwilio, sendByTwilio, smsCall, TWILIO_SERVER, WITHOUT_REPORT } from '../twilio/api.ts';

const SETTINGS = {
  phone: phoneSetting,
};

export const sms = requestKind({
  label: 'SMS',
  category: 'phone',
  summary: 'a text message',
  description: 'A text message to a phone. It works without the Internet, and counts for the monthly limit.',
  setup: [
    'Enter the phone number with + and its country code, such as `+1 555 123 4567`.',
    'Choose what it tells on. Few people want a text message when everything is well again.',
    'Save it. A code comes by SMS. Enter it on the page of the integration: nothing else is sent to the number before.',
    'Send a test. It counts for the monthly limit like any other message, and so does the code.',
  ],
  example: { phone: '+15551234567' },
  settings: SETTINGS,
  server: { ...TWILIO_SERVER, ...MESSAGE_LIMIT_SERVER },
  requires: ['TWILIO_ACCOUNT', 'TWILIO_AUTH', ['TWILIO_FROM', 'TWILIO_MESSAGING_SERVICE_SID']],
  quota: 'sms',
  confirmation: {
    by: 'code',
    recipient: ({ phone }) => phone,
    sendCode: (message, { phone }, ports, server) =>
      sendByTwilio(ports, smsCall(server, phone, codeText(message), WITHOUT_REPORT), 'SMS'),
  },
  target: ({ phone }) => phone,
  wants: () => true,
  suggestedEvents: ['down_timeout', 'down_fail'],
  destination: () => 'api.twilio.com',
  takesOwnWords: true,
  /** https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource */
  limits: { Body: title(units(1_600)) },
  needsBody: false,
  needsStory: true,
  render(event, { phone }, server) {
    const call = smsCall(server, phone, briefText(event), event);
    return call === null ? { kind: 'refused', error: 'SMS notifications are not enabled' } : [call];
  },
  classify: classifyTwilio,
});
