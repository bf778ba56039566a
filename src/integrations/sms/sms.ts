import { requestKind } from '../kind.ts';
import { phoneSetting } from '../phone-field.ts';
import { briefText } from '../text/brief-text.ts';
import {
  classifyTwilio,
  MESSAGE_LIMIT_SERVER,
  operatorsAccount,
  TWILIO_SERVER,
  twilioCall,
} from '../twilio/api.ts';

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
    'Send a test. It counts for the monthly limit like any other message.',
  ],
  example: { phone: '+15551234567' },
  settings: SETTINGS,
  server: { ...TWILIO_SERVER, ...MESSAGE_LIMIT_SERVER },
  requires: ['TWILIO_ACCOUNT', 'TWILIO_AUTH', ['TWILIO_FROM', 'TWILIO_MESSAGING_SERVICE_SID']],
  quota: 'sms',
  target: ({ phone }) => phone,
  wants: () => true,
  suggestedEvents: ['down_timeout', 'down_fail'],
  destination: () => 'api.twilio.com',
  takesOwnWords: true,
  needsBody: false,
  needsStory: true,
  render(event, { phone }, server) {
    const account = operatorsAccount(server);
    const { TWILIO_FROM: from, TWILIO_MESSAGING_SERVICE_SID: service } = server;
    if (account === null || (from === null && service === null)) {
      return { kind: 'refused', error: 'SMS notifications are not enabled' };
    }
    const sender: Record<string, string> =
      service === null ? { From: from ?? '' } : { MessagingServiceSid: service };
    const form = { To: phone, Body: briefText(event), RiskCheck: 'disable', SmartEncoded: 'true', ...sender };
    return [twilioCall(account, 'Messages', form, event)];
  },
  classify: classifyTwilio,
});
