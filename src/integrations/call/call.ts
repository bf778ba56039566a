import type { EnvSettingTable, EnvValues } from '../../lib/env-setting.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { CodeMessage } from '../kind/confirmation.ts';
import { type Call, requestKind } from '../kind/kind.ts';
import { title, units } from '../kind/limits.ts';
import { CALL_LIMIT_SERVER } from '../kind/message-limits.ts';
import { phoneSetting } from '../kind/phone-field.ts';
import { alertFacts } from '../text/alert-facts.ts';
import {
  classifyTwilio,
  operatorsAccount,
  sendByTwilio,
  TWILIO_SERVER,
  twilioCall,
  WITHOUT_REPORT,
} from '../twilio/api.ts';

/** Nobody listens to a longer name. */
const MAX_NAME = 100;

const SETTINGS = {
  phone: phoneSetting,
};

const SERVER = { ...TWILIO_SERVER, ...CALL_LIMIT_SERVER } satisfies EnvSettingTable;

export const call = requestKind({
  label: 'Phone call',
  category: 'phone',
  summary: 'a voice that wakes you',
  description: 'Calls when a check goes down, and says its name. It counts for the monthly limit of calls.',
  setup: [
    'Enter the phone number with + and its country code, such as `+1 555 123 4567`.',
    'Save it. The phone rings, and a voice says a code. Enter it on the page of the integration: the number is not called again before.',
    'Send a test: the phone rings. It counts for the monthly limit like any other call, and so does the code.',
    'Store the number of the caller on the phone, and let it ring at night.',
  ],
  example: { phone: '+15551234567' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['TWILIO_ACCOUNT', 'TWILIO_AUTH', 'TWILIO_FROM'],
  quota: 'call',
  confirmation: {
    by: 'code',
    recipient: ({ phone }) => phone,
    sendCode: (message, { phone }, ports, server) =>
      sendByTwilio(ports, callOf(server, phone, spokenCode(message), WITHOUT_REPORT), 'Call'),
  },
  target: ({ phone }) => phone,
  wants: (_settings, to) => to === 'down',
  destination: () => 'api.twilio.com',
  /** https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource */
  limits: { Twiml: title(units(4_000)) },
  needsBody: false,
  render(event, { phone }, server) {
    const made = callOf(server, phone, spoken(event), event);
    return made === null ? { kind: 'refused', error: 'Call notifications are not enabled' } : [made];
  },
  classify: classifyTwilio,
});

function callOf(
  server: EnvValues<typeof SERVER>,
  phone: string,
  words: string,
  event: Pick<AlertEvent, 'statusUrl'>,
): Call | null {
  const account = operatorsAccount(server);
  const { TWILIO_FROM: from } = server;
  if (account === null || from === null) return null;
  return twilioCall(account, 'Calls', { From: from, To: phone, Twiml: said(words) }, event);
}

/** https://www.twilio.com/docs/voice/twiml/say: said twice, for people who have just woken up. */
function said(words: string): string {
  return `<Response><Say loop="2">${escapeHtml(words)}</Say></Response>`;
}

/** Digit by digit. */
function spokenCode({ siteName, code }: CodeMessage): string {
  const name = firstCharacters(siteName, MAX_NAME);
  return `Hello! ${name} was asked to call this number with alerts. Your code is ${[...code].join(', ')}. If you did not ask for it, hang up.`;
}

function spoken(event: AlertEvent): string {
  const name = firstCharacters(alertFacts(event).name, MAX_NAME);
  const told = event.isTest ? 'This is a test message. Nothing has happened.' : `The check ${name} is down.`;
  return `Hello! A message from ${event.site.name}: ${told}`;
}
