import { type EnvSettingTable, flag, line } from '../../lib/env-setting.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { codeText } from '../kind/confirmation.ts';
import { requestKind } from '../kind/kind.ts';
import { title, units } from '../kind/limits.ts';
import { MESSAGE_LIMIT_SERVER } from '../kind/message-limits.ts';
import { phoneField } from '../kind/phone-field.ts';
import type { Setting } from '../kind/setting.ts';
import { alertFacts } from '../text/alert-facts.ts';
import {
  classifyTwilio,
  operatorsAccount,
  sendByTwilio,
  smsCall,
  TWILIO_SERVER,
  twilioCall,
  WITHOUT_REPORT,
} from '../twilio/api.ts';

/** Templates have room for so much. */
const MAX_NAME = 200;

const SETTINGS = {
  phone: {
    label: 'Phone number',
    help: 'Of the WhatsApp account, with + and country code, such as +1 555 123 4567.',
    field: phoneField,
    control: 'text',
  } satisfies Setting<string>,
};

const SERVER = {
  ...TWILIO_SERVER,
  ...MESSAGE_LIMIT_SERVER,
  TWILIO_USE_WHATSAPP: {
    kind: flag,
    default: 'False',
    doc: 'Whether WhatsApp messages are sent; they need all the other settings of Twilio and the two templates.',
  },
  WHATSAPP_DOWN_CONTENT_SID: {
    kind: line,
    default: null,
    doc: 'SID of the WhatsApp template for a check that is down; its variable 1 is the name of the check.',
  },
  WHATSAPP_UP_CONTENT_SID: {
    kind: line,
    default: null,
    doc: 'SID of the WhatsApp template for a check that is up again; its variable 1 is the name of the check.',
  },
} satisfies EnvSettingTable;

export const whatsapp = requestKind({
  label: 'WhatsApp',
  category: 'phone',
  summary: 'a message by template',
  description:
    'A WhatsApp message with the name of the check. It counts for the monthly limit of text messages.',
  setup: [
    'Enter the phone number of the WhatsApp account with + and its country code, such as `+1 555 123 4567`.',
    'Save it. A code comes to the number by SMS. Enter it on the page of the integration: nothing else is sent to the number before.',
    'Send a test. It counts for the monthly limit like any other message, and so does the code.',
    'WhatsApp delivers texts that it has approved: the message has the name and the status of the check, and nothing else.',
  ],
  example: { phone: '+15551234567' },
  settings: SETTINGS,
  server: SERVER,
  requires: [
    'TWILIO_USE_WHATSAPP',
    'TWILIO_ACCOUNT',
    'TWILIO_AUTH',
    'TWILIO_FROM',
    'TWILIO_MESSAGING_SERVICE_SID',
    'WHATSAPP_DOWN_CONTENT_SID',
    'WHATSAPP_UP_CONTENT_SID',
  ],
  quota: 'whatsapp',
  confirmation: {
    by: 'code',
    recipient: ({ phone }) => phone,
    // WhatsApp delivers approved texts alone. A recipient of an SMS has the number of the account as well.
    sendCode: (message, { phone }, ports, server) =>
      sendByTwilio(ports, smsCall(server, phone, codeText(message), WITHOUT_REPORT), 'SMS'),
  },
  target: ({ phone }) => phone,
  wants: () => true,
  destination: () => 'api.twilio.com',
  /** https://www.twilio.com/docs/whatsapp/tutorial/whatsapp-content-template: characters of a text by a template. */
  limits: { ContentVariables: title(units(1_024)) },
  needsBody: false,
  render(event, { phone }, server) {
    const account = operatorsAccount(server);
    const { TWILIO_FROM: from, TWILIO_MESSAGING_SERVICE_SID: service } = server;
    const { WHATSAPP_DOWN_CONTENT_SID: down, WHATSAPP_UP_CONTENT_SID: up } = server;
    const isComplete = account !== null && from !== null && service !== null && down !== null && up !== null;
    if (!server.TWILIO_USE_WHATSAPP || !isComplete) {
      return { kind: 'refused', error: 'WhatsApp notifications are not enabled' };
    }
    const form = {
      To: `whatsapp:${phone}`,
      From: `whatsapp:${from}`,
      MessagingServiceSid: service,
      ContentSid: event.to === 'down' ? down : up,
      ContentVariables: JSON.stringify({ 1: firstCharacters(alertFacts(event).name, MAX_NAME) }),
    };
    return [twilioCall(account, 'Messages', form, event)];
  },
  classify: classifyTwilio,
});
