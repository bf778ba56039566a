import { type EnvSettingTable, wholeNumber } from '../../lib/env-setting.ts';
import { escapeHtml } from '../../lib/html-escape.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { AlertEvent } from '../alert-event.ts';
import { requestKind } from '../kind.ts';
import { phoneSetting } from '../phone-field.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { classifyTwilio, operatorsAccount, TWILIO_SERVER, twilioCall } from '../twilio/api.ts';

/** Nobody listens to a longer name. */
const MAX_NAME = 100;

const SETTINGS = {
  phone: phoneSetting,
};

const SERVER = {
  ...TWILIO_SERVER,
  CALL_MONTHLY_LIMIT: {
    kind: wholeNumber(0, 1_000_000_000),
    default: '10000',
    doc: 'Phone calls that the projects of one account may make in a calendar month, together.',
  },
} satisfies EnvSettingTable;

export const call = requestKind({
  label: 'Phone call',
  category: 'phone',
  summary: 'a voice that wakes you',
  description: 'Calls when a check goes down, and says its name. It counts for the monthly limit of calls.',
  setup: [
    'Enter the phone number with + and its country code, such as `+1 555 123 4567`.',
    'Send a test: the phone rings. It counts for the monthly limit like any other call.',
    'Store the number of the caller on the phone, and let it ring at night.',
  ],
  example: { phone: '+15551234567' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['TWILIO_ACCOUNT', 'TWILIO_AUTH', 'TWILIO_FROM'],
  quota: 'call',
  target: ({ phone }) => phone,
  wants: (_settings, to) => to === 'down',
  destination: () => 'api.twilio.com',
  needsBody: false,
  render(event, { phone }, server) {
    const account = operatorsAccount(server);
    const { TWILIO_FROM: from } = server;
    if (account === null || from === null) {
      return { kind: 'refused', error: 'Call notifications are not enabled' };
    }
    return [twilioCall(account, 'Calls', { From: from, To: phone, Twiml: spoken(event) }, event)];
  },
  classify: classifyTwilio,
});

/** https://www.twilio.com/docs/voice/twiml/say: said twice, for people who have just woken up. */
function spoken(event: AlertEvent): string {
  const name = firstCharacters(alertFacts(event).name, MAX_NAME);
  const words = escapeHtml(`Hello! A message from ${event.site.name}: The check ${name} is down.`);
  return `<Response><Say loop="2">${words}</Say></Response>`;
}
