import { type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, type EnvValues, line } from '../../lib/env-setting.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { Call, Ports, Reply } from '../kind/kind.ts';
import { formCall } from '../send/form-call.ts';
import { classifyByStatus, jsonOf } from '../send/reply.ts';

export const TWILIO_URL = 'https://api.twilio.com';

/** An account at Twilio, or at somebody with the same API. */
export interface TwilioAccount {
  readonly url: string;
  readonly account: string;
  readonly token: string;
}

/** The account of the operator. */
export const TWILIO_SERVER = {
  TWILIO_ACCOUNT: {
    kind: line,
    default: null,
    doc: 'SID of the Twilio account that sends SMS and WhatsApp messages and makes calls; if unset, there are none.',
  },
  TWILIO_AUTH: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Auth token of that account.',
  },
  TWILIO_FROM: {
    kind: line,
    default: null,
    doc: 'Phone number of that account, with + and country code, from which messages and calls come.',
  },
  TWILIO_MESSAGING_SERVICE_SID: {
    kind: line,
    default: null,
    doc: 'SID of a messaging service of that account; if set, it chooses the number of an SMS. WhatsApp messages need it.',
  },
} satisfies EnvSettingTable;

type TwilioServer = EnvValues<typeof TWILIO_SERVER>;

/** Null if the operator has none. */
export function operatorsAccount({
  TWILIO_ACCOUNT: account,
  TWILIO_AUTH: token,
}: Pick<TwilioServer, 'TWILIO_ACCOUNT' | 'TWILIO_AUTH'>): TwilioAccount | null {
  return account === null || token === null ? null : { url: TWILIO_URL, account, token };
}

/** The call for an SMS of the operator. Null if none can be sent. */
export function smsCall(
  server: TwilioServer,
  phone: string,
  text: string,
  event: Pick<AlertEvent, 'statusUrl'>,
): Call | null {
  const account = operatorsAccount(server);
  const { TWILIO_FROM: from, TWILIO_MESSAGING_SERVICE_SID: service } = server;
  if (account === null || (from === null && service === null)) return null;
  const sender: Record<string, string> =
    service === null ? { From: from ?? '' } : { MessagingServiceSid: service };
  return twilioCall(account, 'Messages', { To: phone, Body: text, SmartEncoded: 'true', ...sender }, event);
}

/** Sends a code that confirms a phone number. */
export async function sendByTwilio(
  ports: Pick<Ports, 'http'>,
  call: Call | null,
  what: string,
): Promise<Outcome> {
  if (call === null) return { kind: 'refused', error: `${what} notifications are not enabled` };
  const reply = await ports.http(call);
  return 'error' in reply ? tryAgain(reply.error) : classifyTwilio(reply);
}

/** No report of the fate of a message is asked for. */
export const WITHOUT_REPORT = { statusUrl: null } as const;

/** The resources that an account creates. */
type Resource = 'Messages' | 'Calls';

/**
 * https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource and
 * https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource
 */
export function twilioCall(
  { url, account, token }: TwilioAccount,
  resource: Resource,
  form: Readonly<Record<string, string>>,
  { statusUrl }: Pick<AlertEvent, 'statusUrl'>,
): Call {
  return formCall(
    `${url}/2010-04-01/Accounts/${encodeURIComponent(account)}/${resource}.json`,
    { ...form, ...(statusUrl !== null && { StatusCallback: statusUrl }) },
    { Authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}` },
  );
}

/** https://www.twilio.com/docs/api/errors: recipients that will never take a message. */
const GONE = new Map([
  [21_211, 'Invalid phone number'],
  [21_610, 'The recipient has replied STOP'],
  [21_614, 'The phone number cannot receive SMS'],
]);

export function classifyTwilio(reply: Reply): Outcome {
  const { code, message } = jsonOf(reply);
  const gone = reply.status === 400 ? GONE.get(Number(code)) : undefined;
  return gone === undefined ? classifyByStatus(reply, message) : { kind: 'permanent', error: gone };
}
